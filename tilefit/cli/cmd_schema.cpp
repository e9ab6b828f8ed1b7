// SPDX-License-Identifier: Apache-2.0
// tilefit schema: the JSON Schemas of what --json prints.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/output.h"
#include "tilefit/model/nearest.h"
#include "tilefit/schemas.h"

namespace tilefit {
namespace {

struct SchemaArgs {
  std::string name, output;
};

Result<std::string> text_of(const std::string& name) {
  std::string list;
  std::vector<std::string_view> known;
  for (const Schema& s : kSchemas) {
    if (s.name == name) return std::string(s.text);
    list += fmt::format("{}\n", s.name);
    known.push_back(s.name);
  }
  if (name.empty()) return list;
  return Error{"unknown schema '" + name + "'", "NAME", suggest(name, known)};
}

Result<int> run_schema(const SchemaArgs& args) {
  const Result<std::string> text = text_of(args.name);
  if (!text) return text.error();
  Result<Output> out = Output::open(args.output);
  if (!out) return out.error();
  out->write(*text);
  if (const auto error = out->finish()) return *error;
  return kExitClean;
}

}  // namespace

Run setup_schema(CLI::App& app) {
  auto args = std::make_shared<SchemaArgs>();
  app.add_option("NAME", args->name, "a command with --json; the list of them without it");
  app.add_option("-o,--output", args->output, "write to FILE")->type_name("FILE")->group("Output");
  app.footer("\nExamples:\n  tilefit schema\n  tilefit schema plan\n");
  return [args] { return run_schema(*args); };
}

}  // namespace tilefit
