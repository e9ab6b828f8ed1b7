// SPDX-License-Identifier: Apache-2.0
// tilefit explain: the section of docs/findings.md about a rule.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/output.h"
#include "tilefit/doctor/rules.h"
#include "tilefit/findings.h"
#include "tilefit/model/nearest.h"

namespace tilefit {
namespace {

struct ExplainArgs {
  CommonArgs common;
  std::string id;
};

/// From "## id" to the next heading; empty where there is none.
std::string section(std::string_view id) {
  const std::string text(kFindings), head = "\n## " + std::string(id) + "\n";
  const auto at = text.find(head);
  if (at == std::string::npos) return "";
  const auto end = text.find("\n#", at + head.size());
  return text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
}

std::string list_of_rules() {
  std::string text;
  for (const Rule* r : all_rules()) text += fmt::format("{:<28} {}\n", r->id, r->title);
  return text;
}

Result<int> run_explain(const ExplainArgs& args) {
  std::string text = args.id.empty() ? list_of_rules() : section(args.id);
  if (text.empty()) {
    std::vector<std::string_view> known;
    for (const Rule* r : all_rules()) known.push_back(r->id);
    return Error{"unknown rule '" + args.id + "'", "", suggest(args.id, known)};
  }
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  out->write(text);
  if (const auto error = out->finish()) return *error;
  return kExitClean;
}

}  // namespace

Run setup_explain(CLI::App& app) {
  auto args = std::make_shared<ExplainArgs>();
  app.add_option("RULE", args->id, "id of a rule; without it every rule is listed");
  app.add_option("-o,--output", args->common.output, "write into FILE")->type_name("FILE");
  add_examples(app, "  tilefit explain\n  tilefit explain tactic-over-limit\n");
  return [args] { return run_explain(*args); };
}

}  // namespace tilefit
