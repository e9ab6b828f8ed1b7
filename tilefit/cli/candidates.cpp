// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/candidates.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "tilefit/cli/output.h"
#include "tilefit/plan/culprit.h"
#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"
#include "tilefit/report/plan_json.h"
#include "tilefit/report/plan_text.h"

namespace tilefit {
namespace {

using nlohmann::json;

constexpr int kMostDepth = 32;

/// One way of naming a block's sides.
struct Words {
  std::string_view m, n, k;
  Family family;
};

constexpr Words kWords[] = {
    {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", Family::triton},
    {"BLOCK_M", "BLOCK_N", "BLOCK_K", Family::triton},
    {"block_m", "block_n", "block_k", Family::triton},
    {"cta_tile_m", "cta_tile_n", "cta_tile_k", Family::cutlass},
};

std::optional<int> whole(const json& object, std::string_view key, int most) {
  const auto found = object.find(std::string(key));
  if (found == object.end() || !found->is_number_integer()) return {};
  const auto value = found->get<std::int64_t>();
  if (value < 1 || value > most) return {};
  return static_cast<int>(value);
}

class Collector {
 public:
  Collector(const RequestDraft& draft, const std::string& path) : draft_(draft), path_(path) {}

  void walk(const json& value, const std::string& label, int depth) {
    if (depth > kMostDepth) return;
    if (value.is_object() && take(value, label)) return;
    if (value.is_object())
      for (const auto& [key, child] : value.items()) walk(child, join(label, key), depth + 1);
    if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i)
        walk(value[i], join(label, std::to_string(i)), depth + 1);
  }

  std::optional<Error> error;
  std::vector<Candidate> found;

 private:
  static std::string join(const std::string& label, const std::string& key) {
    return label.empty() ? key : label + "/" + key;
  }

  /// Triton keeps the block under "kwargs" and warps and stages beside it.
  bool take(const json& object, const std::string& label) {
    const auto nested = object.find("kwargs");
    const json& block = nested != object.end() && nested->is_object() ? *nested : object;
    for (const Words& w : kWords) {
      const auto m = whole(block, w.m, kMaxExtent), n = whole(block, w.n, kMaxExtent),
                 k = whole(block, w.k, kMaxExtent);
      if (!m || !n || !k) continue;
      RequestDraft d = draft_;
      Tile& t = d.request.tile;
      t.m = *m;
      t.n = *n;
      t.k = *k;
      d.m_given = d.n_given = d.k_given = true;
      for (const char* key : {"num_stages", "stages"})
        for (const json* from : {&block, &object})
          if (const auto stages = whole(*from, key, kMaxStages)) t.stages = *stages;
      for (const json* from : {&block, &object})
        if (const auto warps = whole(*from, "num_warps", 64)) t.warps = *warps;
      set_family(d, w, block);
      const Result<TileRequest> request = finish(d);
      if (!request)
        error = request.error();
      else
        found.push_back({label, *request});
      return true;
    }
    return false;
  }

  void set_family(RequestDraft& d, const Words& w, const json& block) const {
    if (!d.family_given) d.request.family = w.family;
    d.family_given = true;
    if (w.family == Family::triton) {
      if (path_.find("dtype=fp8_w8a8") != std::string::npos)
        d.request.tile.operands = path_.find("block_shape=") != std::string::npos
                                      ? Operands::fp8blockwise
                                      : Operands::fp8;
      return;
    }
    if (!d.kernel_given) d.request.tile.kernel = KernelKind::dense;
    const auto cluster_m = whole(block, "cluster_m", 64), cluster_n = whole(block, "cluster_n", 64);
    // Kernels for sm_120 have no clusters: what the proposal says of them is left out.
    if (cluster_m && cluster_n && d.request.arch->cc / 10 != 12)
      d.request.tile.cluster = {*cluster_m, *cluster_n, 1};
  }

  const RequestDraft& draft_;
  const std::string& path_;
};

struct Counts {
  int all = 0, run = 0, cannot = 0, unknown = 0;
  void add(const TilePlan& p) {
    ++all;
    ++(p.usable() ? run : p.outcome == Outcome::unknown ? unknown : cannot);
  }
  std::string text() const {
    const double share = all > 0 ? 100.0 * cannot / all : 0;
    return fmt::format("{} candidates: {} can run, {} cannot ({:.0f} %), {} not known\n", all, run,
                       cannot, share, unknown);
  }
};

void one_json(fmt::memory_buffer& out, const Candidate& c, const TilePlan& plan) {
  TileReport report;
  report.plan = plan;
  report.sentence = culprit(plan).sentence;
  report.fixes = fixes(plan);
  fmt::format_to(std::back_inserter(out), "{{\"candidate\":");
  json_string(out, c.label);
  fmt::format_to(std::back_inserter(out), ",\"plan\":");
  plan_json(out, report, nullptr);
  fmt::format_to(std::back_inserter(out), "}}\n");
}

}  // namespace

Result<std::vector<Candidate>> read_candidates(std::string_view text, const std::string& path,
                                               const RequestDraft& draft) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded())
    return Error{"'" + path + "' is no JSON", "--candidates",
                 "give a tuned-config or autotune file, or the output of "
                 "tools/nvmmh_candidates.py"};
  Collector collector(draft, path);
  collector.walk(document, "", 0);
  if (collector.error) return *collector.error;
  if (collector.found.empty())
    return Error{"'" + path + "' names no block sizes", "--candidates",
                 "known are BLOCK_SIZE_M, BLOCK_M, block_m and cta_tile_m, with N and K"};
  return std::move(collector.found);
}

Result<int> judge_candidates(const std::string& path, const RequestDraft& draft,
                             const CommonArgs& common) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error{"cannot open '" + path + "'", "--candidates", "name a file that is there"};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Result<std::vector<Candidate>> candidates = read_candidates(text, path, draft);
  if (!candidates) return candidates.error();
  Result<Output> out = Output::open(common.output);
  if (!out) return out.error();
  const TextStyle style = text_style(common);
  std::size_t width = 9;
  for (const Candidate& c : *candidates) width = std::max(width, c.label.size());
  Counts counts;
  fmt::memory_buffer buffer;
  if (!common.json)
    fmt::format_to(std::back_inserter(buffer), "{:<{}}  {}", "candidate", width,
                   plan_row_heading(style));
  for (const Candidate& c : *candidates) {
    const TilePlan plan = plan_tile(c.request);
    counts.add(plan);
    if (common.json)
      one_json(buffer, c, plan);
    else
      fmt::format_to(std::back_inserter(buffer), "{:<{}}  {}", c.label, width,
                     plan_row(plan, style));
  }
  if (!common.json) {
    const std::string summary = counts.text();
    buffer.append(summary.data(), summary.data() + summary.size());
  }
  if (!common.quiet) out->write({buffer.data(), buffer.size()});
  if (const auto error = out->finish()) return *error;
  return counts.run == counts.all ? kExitClean : kExitFindings;
}

}  // namespace tilefit
