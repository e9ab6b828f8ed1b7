// SPDX-License-Identifier: Apache-2.0
// What a tuner's failures mean: over the limit, no such kernel, a context that died, an interrupted
// run. A tile that does not fit fails every time, at once, and harms nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilefit/doctor/chain.h"
#include "tilefit/doctor/line_reader.h"
#include "tilefit/doctor/rules.h"
#include "tilefit/plan/culprit.h"
#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

std::string tactic_text(const Fact& f) {
  std::string text = f.name + " tactic";
  for (const int n : f.tactic) text += fmt::format(" {}", n);
  return text;
}

std::string subject_of(const StudiedTactic& s) {
  const Tile& t = s.tactic.tile;
  return fmt::format("tactic {}: GEMM {}, {}x{}x{}, {}{}", s.tactic.number, s.tactic.gemm, t.m, t.n,
                     t.k, name(t.epilogue), t.swap_ab ? ", swap-AB" : "");
}

/// Failures in initialisation whose bytes are known and too many.
void over_limit(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  const Confidence agree = bytes_agree(p.study);
  for (const StudiedTactic& s : p.study.tactics) {
    if (s.failed != FailedBy::init || !s.plan.has_bytes() || s.plan.over() <= 0) continue;
    Finding f = finding_of(rule, *s.fact, Severity::warning, agree);
    f.subject = subject_of(s);
    f.arch = p.setting.arch->name;
    f.required = s.plan.needed();
    f.limit = s.plan.limit;
    f.stages = std::max(0, s.plan.stages - 1);
    f.why =
        culprit(s.plan).sentence + ". The tuner goes on without it: slower choices, not a crash";
    f.fixes = common_fixes(p.study);
    out.push_back(std::move(f));
  }
}

/// Failed in initialisation although the bytes fit.
void fails_though_fits(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const StudiedTactic& s : p.study.tactics) {
    if (s.failed != FailedBy::init || !s.plan.has_bytes() || s.plan.over() > 0) continue;
    Finding f = finding_of(rule, *s.fact, Severity::error, Confidence::refuted);
    f.subject = subject_of(s);
    f.required = s.plan.needed();
    f.limit = s.plan.limit;
    f.why = against_limit(s.plan.needed(), s.plan.limit) +
            ": shared memory does not explain this failure";
    f.fixes = {
        "check that the release is the one named (tactic numbers change with it)",
        "look for an earlier CUDA error on that rank, and for code for this GPU: tilefit scan"};
    out.push_back(std::move(f));
  }
}

/// Tiles of `m` rows that the lists offer this GPU and whose FINALIZE kernel is over the limit.
std::string over_with_rows(const Arch& arch, std::int64_t m, Operands operands) {
  std::set<std::string> found;
  for (const TacticListRow& l : kTacticLists) {
    const Result<std::vector<Tactic>> list = tactics_of(l.list, arch, operands);
    if (!list) continue;
    for (const Tactic& t : *list) {
      TileRequest r;
      r.arch = &arch;
      r.tile = t.tile;
      r.builder = l.builder;
      if (t.tile.m != m || !t.no_kernel.empty()) continue;
      const TilePlan plan = plan_tile(r);
      if (plan.has_bytes() && plan.over() > 0)
        found.insert(fmt::format("{}x{}x{} {} needs {} B", t.tile.m, t.tile.n, t.tile.k,
                                 name(t.tile.epilogue), plan.needed()));
    }
  }
  std::string text;
  for (const std::string& s : found) text += (text.empty() ? "" : "; ") + s;
  return text;
}

/// Failures that no list explains: what the line itself holds.
void undecoded(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.study.undecoded) {
    if (failed_by(*fact) != FailedBy::init) continue;
    const Fact* file = p.near(*fact, FactKind::generated_file);
    Finding f = finding_of(rule, *fact, Severity::warning, Confidence::unknown);
    f.subject = tactic_text(*fact);
    f.why = "failed in initialisation; " +
            (p.study.list_problem.empty() ? "its number stands in no list" : p.study.list_problem);
    const Arch* arch = file != nullptr ? arch_named(file->arch) : p.setting.arch;
    if (file != nullptr && arch != nullptr) {
      f.arch = arch->name;
      f.limit = arch->smem_per_block;
      f.why += fmt::format(". The kernel's file says {}, M = {}", file->arch, file->number);
      if (const std::string tiles = over_with_rows(*arch, file->number, p.setting.operands);
          !tiles.empty()) {
        f.trouble = Trouble::smem_over_limit;
        f.confidence = Confidence::consistent;
        f.why += fmt::format(": of the tiles known with that M, {} (limit {} B)", tiles, f.limit);
      }
    }
    f.fixes = {"the tactic can be skipped: the tuner goes on without it",
               "tilefit doctor LOG --gpu NAME --tiles flashinfer-VERSION decodes the number"};
    out.push_back(std::move(f));
  }
}

/// M, N and K from digits run together, K in bytes: 128128256 -> 128x128x256.
std::string split_digits(std::int64_t digits) {
  const std::string text = std::to_string(digits);
  std::set<std::string> ways;
  for (const int m : {64, 128, 256})
    for (const int n : {8, 16, 32, 64, 128, 256})
      for (const int k : {32, 64, 128, 256, 512})
        if (fmt::format("{}{}{}", m, n, k) == text) ways.insert(fmt::format("{}x{}x{}B", m, n, k));
  std::string out;
  for (const std::string& w : ways) out += (out.empty() ? "" : " or ") + w;
  return out.empty() ? text : out;
}

void no_kernel(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::unsupported_tile)) {
    Finding f = finding_of(rule, *fact, Severity::harmless, Confidence::proved);
    f.subject = "tile " + split_digits(fact->number) + " (K in packed bytes)";
    f.why = "the launcher has no kernel for this tile; shared memory is not asked for at all";
    f.fixes = {"nothing to do: the tuner skips it; newer releases do not offer it"};
    out.push_back(std::move(f));
  }
}

/// A tile that the text names, priced with and without the fused finalize.
void named_tile(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  if (p.setting.arch == nullptr) return;
  const Operands o = p.setting.operands;
  for (const Fact* fact : p.all(FactKind::tile_named)) {
    TileRequest r;
    r.arch = p.setting.arch;
    if (p.setting.list) r.builder = row(*p.setting.list).builder;
    r.tile.m = fact->block_m;
    r.tile.n = fact->block_n;
    r.tile.operands = o;
    r.tile.k =
        static_cast<int>(fact->number) * 8 / (o == Operands::nvfp4 || o == Operands::mxfp4 ? 4 : 8);
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::consistent);
    f.arch = p.setting.arch->name;
    f.limit = p.setting.limit();
    f.subject = fmt::format("{}x{}x{} ({} B of K), {}", r.tile.m, r.tile.n, r.tile.k, fact->number,
                            name(o));
    for (const Epilogue e : {Epilogue::none, Epilogue::finalize}) {
      r.tile.epilogue = e;
      const TilePlan plan = plan_tile(r);
      f.why += fmt::format("{}{}: {}", f.why.empty() ? "" : ". ", name(e), culprit(plan).sentence);
      if (plan.outcome == Outcome::too_few_stages)
        f.trouble = Trouble::too_few_stages;
      else if (plan.has_bytes() && plan.needed() > f.required)
        f.required = plan.needed();
      if (plan.has_bytes() && plan.over() > 0) {
        f.trouble = Trouble::smem_over_limit;
        f.stages = plan.stages - 1;
      }
      if (plan.usable()) continue;
      f.severity = Severity::warning;
      for (const Fix& x : fixes(plan))
        f.fixes.push_back(
            fmt::format("{}: {} B, {} stages", x.change, x.plan.needed(), x.plan.stages));
    }
    out.push_back(std::move(f));
  }
}

void counted_only(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::tactics_skipped)) {
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::unknown);
    f.subject = fmt::format("{} tactics of {}", fact->number, fact->name);
    f.why = "skipped by the tuner; the line does not say which or why";
    f.fixes = {"set FLASHINFER_LOGLEVEL (or the logger) to DEBUG to see each"};
    if (p.setting.list && p.setting.arch != nullptr)
      if (const auto list = tactics_of(*p.setting.list, *p.setting.arch, p.setting.operands)) {
        int none = 0, over = 0;
        for (const Tactic& t : *list) {
          TileRequest r;
          r.arch = t.kernel_arch;
          r.tile = t.tile;
          r.builder = row(*p.setting.list).builder;
          const TilePlan plan = plan_tile(r);
          if (!t.no_kernel.empty())
            ++none;
          else if (plan.has_bytes() && plan.over() > 0)
            ++over;
        }
        f.why = fmt::format(
            "{} offers {} here: {} have no kernel, {} are over the limit in "
            "initialisation, {} can run",
            row(*p.setting.list).name, list->size(), none, over,
            static_cast<int>(list->size()) - none - over);
        f.confidence = none + over == fact->number ? Confidence::proved : Confidence::consistent;
      }
    out.push_back(std::move(f));
  }
}

/// The same sticky error from several tactics: the first killed the context, the rest are innocent.
void poisoned(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  constexpr std::size_t kEnough = 3;
  std::map<int, std::vector<const Fact*>> by_code;
  for (const Fact* f : p.all(FactKind::tactic_failed))
    if (failed_by(*f) == FailedBy::sticky) by_code[f->code].push_back(f);
  for (const auto& [code, facts] : by_code) {
    if (facts.size() < kEnough) continue;
    Finding f = finding_of(rule, *facts.front(), Severity::error, Confidence::consistent);
    f.subject = fmt::format("{} tactics with CUDA error {}", facts.size(), code);
    f.why = fmt::format(
        "\"{}\" destroys the context, so every call after it fails too: {} is the "
        "first; the others say nothing about themselves or about shared memory",
        cuda_text(code), tactic_text(*facts.front()));
    f.fixes = {fmt::format("compute-sanitizer on a run of {} alone", tactic_text(*facts.front())),
               "restart the process: no later tactic of it was measured"};
    out.push_back(std::move(f));
  }
}

void intermittent(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  std::set<std::pair<std::string, std::vector<int>>> works;
  for (const Fact* good : p.all(FactKind::tactic_works)) works.emplace(good->name, good->tactic);
  for (const Fact* bad : p.all(FactKind::tactic_failed)) {
    if (!works.contains({bad->name, bad->tactic})) continue;
    Finding f = finding_of(rule, *bad, Severity::warning, Confidence::refuted);
    f.subject = tactic_text(*bad);
    f.why =
        "fails in one place and works in another; a tile that does not fit fails every time, "
        "so shared memory is not the cause";
    f.fixes = {"look for the first CUDA error on that rank, and for device memory running out"};
    out.push_back(std::move(f));
  }
}

void unfinished(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  const Fact* started = p.first(FactKind::tuning_started);
  const Fact* ended = p.first(FactKind::tuning_ended);
  if (started == nullptr || (ended != nullptr && ended->times >= started->times)) return;
  Finding f = finding_of(rule, *started, Severity::warning, Confidence::consistent);
  f.subject = "tuning";
  f.why = fmt::format("started {} time(s), ended {}: a rank is still tuning, or hangs",
                      started->times, ended == nullptr ? 0 : ended->times);
  f.fixes = {"look at that rank's last line; py-spy dump --pid PID shows where it stands"};
  out.push_back(std::move(f));
}

void foreign_cache(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::cache_refused)) {
    Finding f = finding_of(rule, *fact, Severity::warning, Confidence::proved);
    f.why =
        "the cache was written by another release, toolkit or GPU and is not used; tactic "
        "numbers are positions in a list that changes with them";
    f.fixes = {"tune again and keep the new file apart from the old one"};
    out.push_back(std::move(f));
  }
}

void outside_range(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::tuning_fallback)) {
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::proved);
    f.why = "this shape was not tuned, so the default tactic runs: slow perhaps, not wrong";
    f.fixes = {"widen the range of token counts that is tuned"};
    out.push_back(std::move(f));
  }
}

constexpr Rule kRules[] = {
    {"tactic-over-limit", "a tactic needs more shared memory than a block may have",
     Trouble::smem_over_limit, over_limit},
    {"tactic-fails-though-it-fits", "a tactic fails in initialisation although its bytes fit",
     Trouble::unknown, fails_though_fits},
    {"tactic-not-decoded", "a tactic failed whose number no known list explains", Trouble::unknown,
     undecoded},
    {"tactic-without-kernel", "the launcher has no kernel for an offered tile",
     Trouble::no_kernel_for_tile, no_kernel},
    {"tile-named", "a tile that the text names, priced", Trouble::harmless_skip, named_tile},
    {"tactics-skipped-counted", "the tuner only counts what it skipped", Trouble::harmless_skip,
     counted_only},
    {"poisoned-context", "one sticky error makes every later tactic fail",
     Trouble::poisoned_context, poisoned},
    {"tactic-intermittent", "the same tactic fails and works", Trouble::unknown, intermittent},
    {"tuning-unfinished", "tuning started and did not end", Trouble::incomplete_tuning, unfinished},
    {"cache-foreign", "a tuning cache of another environment is ignored", Trouble::stale_cache,
     foreign_cache},
    {"shape-not-tuned", "a shape outside the tuned range runs the default",
     Trouble::incomplete_tuning, outside_range},
};

}  // namespace

std::span<const Rule> tuner_rules() { return kRules; }

}  // namespace tilefit
