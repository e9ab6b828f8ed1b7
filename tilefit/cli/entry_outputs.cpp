// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/entry_outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "tilefit/cli/output.h"
#include "tilefit/read/unpack.h"
#include "tilefit/report/scan_csv.h"

namespace tilefit {
namespace {

std::string constants(const ImageFacts& facts) {
  std::string text;
  if (facts.constant0) text = fmt::format("0:{}", *facts.constant0);
  for (const ConstantBank& bank : facts.more_constants)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", bank.bank, bank.bytes);
  return text;
}

/// The last part of a path, of characters that are safe everywhere.
std::string stem(const std::string& path) {
  std::string name =
      std::filesystem::path(path.substr(path.find_last_of(':') + 1)).filename().string();
  for (std::string_view ending : {".so", ".cubin", ".fatbin", ".a", ".o"})
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.';
    if (!plain) c = '_';
  }
  return name.empty() || name[0] == '.' ? "code" + name : name;
}

}  // namespace

std::string functions_csv(const SeenEntry& seen) {
  std::string lines;
  if (!seen.facts) return lines;
  const std::string file = csv_field(seen.file.path);
  const std::string target = text(seen.facts->target, seen.facts->code);
  for (const NamedFacts& f : seen.facts->functions) {
    const ImageFacts& facts = f.facts;
    const std::string registers =
        facts.registers ? std::to_string(*facts.registers) : std::string();
    fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", file,
                   seen.index, target, name(facts.code), csv_field(f.name),
                   facts.is_kernel ? "kernel" : "function", registers, facts.stack,
                   facts.static_smem + facts.reserved_smem, facts.local, constants(facts),
                   facts.text_bytes, name(facts.body));
  }
  return lines;
}

std::optional<Error> extract_cubin(const SeenEntry& seen, const std::string& folder) {
  if (!seen.facts || seen.entry.code != CodeKind::cubin) return std::nullopt;
  BufferPool pool(0);
  const Result<Unpacked> code = unpack(seen.entry, pool);
  if (!code) return code.error();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string path = fmt::format("{}/{}.{}.{}.cubin", folder, stem(seen.file.path),
                                       seen.index, text(seen.facts->target));
  Result<Output> out = Output::open(path);
  if (!out) return Error{out.error().what, "--extract", out.error().fix};
  out->write(code->bytes.text());
  return out->finish();
}

}  // namespace tilefit
