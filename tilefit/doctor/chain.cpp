// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilefit/plan/culprit.h"
#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

constexpr std::size_t kMostShown = 4;

std::string tile_text(const StudiedTactic& s) {
  const Tile& t = s.tactic.tile;
  return fmt::format("{}x{}x{} {}{}", t.m, t.n, t.k, name(t.epilogue), t.swap_ab ? " swap_ab" : "");
}

std::vector<const StudiedTactic*> failing(const TacticStudy& study) {
  std::vector<const StudiedTactic*> out;
  for (const StudiedTactic& s : study.tactics)
    if (s.failed == FailedBy::init) out.push_back(&s);
  return out;
}

/// What works without having been timed in the log is only not reported as failing.
Confidence seen_status(const TacticStudy& study) {
  return study.all_seen ? Confidence::proved : Confidence::consistent;
}

/// The weaker of two; refuted and unknown are weaker than consistent.
Confidence no_more_than(Confidence bound, Confidence status) { return std::max(bound, status); }

/// A size that fits is proved; that its device code compiles only where it was compiled.
Confidence compiled_fix(const TacticStudy& study) {
  for (const Fix& f : fixes(failing(study).front()->plan))
    if (f.plan.builds == Builds::compiled) return Confidence::proved;
  return Confidence::consistent;
}

ChainLink symptom(const TacticStudy& study) {
  const auto bad = failing(study);
  std::string numbers;
  std::int64_t lines = 0;
  for (const StudiedTactic* s : bad) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", s->tactic.number);
    lines += s->fact->times;
  }
  const auto works = study.compared.size() - bad.size();
  return {Link::symptom, Confidence::proved,
          fmt::format("tactic{} {} fail{} in initialisation ({} line{}); {} {}",
                      bad.size() == 1 ? "" : "s", numbers, bad.size() == 1 ? "s" : "", lines,
                      lines == 1 ? "" : "s", works,
                      study.all_seen ? "others were timed and work"
                                     : "others work or are not reported as failing")};
}

/// "epilogue=finalize is refuted: 6 of the 8 tactics it names work (tactic 12: 128x128x256 ..)"
std::string refuted_text(const TacticStudy& study, const Story& story) {
  const StudiedTactic& counter = study.tactics[study.compared[story.working.front()]];
  return fmt::format("\n{} alone is refuted: {} of the {} it names work, such as tactic {}, {}",
                     story_text(story, tactic_attributes()), story.working.size(),
                     story.working.size() + story.failing.size(), counter.tactic.number,
                     tile_text(counter));
}

ChainLink separation(const TacticStudy& study) {
  const Separation& s = study.separation;
  ChainLink link{Link::separation, Confidence::unknown, ""};
  if (s.best.terms.empty()) {
    link.text =
        study.compared.size() == failing(study).size()
            ? "nothing that works is in the log, so nothing tells failing from working tactics"
            : "no conjunction of attributes tells failing from working tactics";
    return link;
  }
  link.status = seen_status(study);
  link.text = fmt::format("{}: holds for all {} that fail and none of the {} that work",
                          story_text(s.best, tactic_attributes()), s.best.failing.size(),
                          study.compared.size() - s.best.failing.size());
  std::size_t shown = 0;
  for (const Story& r : s.refuted)
    if (r.terms.size() == 1 && shown++ < kMostShown) link.text += refuted_text(study, r);
  return link;
}

ChainLink bytes(const TacticStudy& study) {
  ChainLink link{Link::bytes, no_more_than(seen_status(study), bytes_agree(study)), ""};
  std::map<std::string, const StudiedTactic*> failed;
  Bytes most = 0;
  int fit = 0, over = 0;
  for (const std::size_t i : study.compared) {
    const StudiedTactic& s = study.tactics[i];
    if (s.failed == FailedBy::init) {
      failed.emplace(tile_text(s), &s);
      continue;
    }
    if (!s.tactic.no_kernel.empty() || !s.plan.has_bytes()) continue;
    ++(s.plan.over() > 0 ? over : fit);
    if (s.plan.over() <= 0) most = std::max(most, s.plan.needed());
  }
  for (const auto& [tile, s] : failed)
    link.text += s->plan.has_bytes()
                     ? fmt::format("{}{} needs {} B {} {} B", link.text.empty() ? "" : "; ", tile,
                                   s->plan.needed(), s->plan.over() > 0 ? ">" : "<=", s->plan.limit)
                     : fmt::format("{}{}: bytes not known ({})", link.text.empty() ? "" : "; ",
                                   tile, s->plan.reason);
  if (fit > 0) link.text += fmt::format("; the {} that work need at most {} B", fit, most);
  if (over > 0) link.text += fmt::format("; {} that work would need more than the limit too", over);
  if (link.status == Confidence::refuted) link.text += ": shared memory does not explain this";
  return link;
}

ChainLink component(const TacticStudy& study) {
  ChainLink link{Link::component, Confidence::unknown, "not looked for: the bytes do not agree"};
  if (bytes_agree(study) != Confidence::proved) return link;
  bool by_padding = true;
  std::set<std::string> sentences;
  for (const StudiedTactic* s : failing(study)) {
    CutlassStorage storage;
    by_padding = by_padding && cutlass_storage_of(s->plan.request, storage) &&
                 storage.builder.believed <= s->plan.limit;
    sentences.insert(culprit(s->plan).sentence);
  }
  link.status = seen_status(study);
  link.text = by_padding ? "the stage count is picked without alignment padding: the builder's own "
                           "sum stays under the limit, the storage does not"
                         : "";
  for (const std::string& s : sentences) link.text += (link.text.empty() ? "" : "\n") + s;
  return link;
}

ChainLink fix(const TacticStudy& study) {
  const std::vector<std::string> all = common_fixes(study);
  if (all.empty())
    return {Link::fix, Confidence::unknown, "no single change is known to help all of them"};
  ChainLink link{Link::fix, no_more_than(seen_status(study), compiled_fix(study)), ""};
  for (std::size_t i = 0; i < all.size() && i < kMostShown; ++i)
    link.text += (i > 0 ? "\n" : "") + all[i];
  return link;
}

}  // namespace

Confidence bytes_agree(const TacticStudy& study) {
  bool known = true, agree = true, any = false;
  for (const std::size_t i : study.compared) {
    const StudiedTactic& s = study.tactics[i];
    const bool failed = s.failed == FailedBy::init;
    any = any || failed;
    if (!failed && !s.tactic.no_kernel.empty()) continue;
    if (!s.plan.has_bytes())
      known = known && !failed;
    else
      agree = agree && failed == (s.plan.over() > 0);
  }
  if (!any || !known) return Confidence::unknown;
  return agree ? Confidence::proved : Confidence::refuted;
}

std::vector<std::string> common_fixes(const TacticStudy& study) {
  const auto bad = failing(study);
  std::vector<std::string> out;
  if (bad.empty()) return out;
  for (const Fix& f : fixes(bad.front()->plan)) {
    const bool everywhere = std::all_of(bad.begin(), bad.end(), [&](const StudiedTactic* s) {
      const std::vector<Fix> own = fixes(s->plan);
      return std::any_of(own.begin(), own.end(),
                         [&](const Fix& o) { return o.change == f.change; });
    });
    if (!everywhere) continue;
    out.push_back(fmt::format(
        "{}: {} B with {} stages ({}){}", f.change, f.plan.needed(), f.plan.stages,
        name(f.plan.builds), f.source_change.empty() ? "" : "; in the source: " + f.source_change));
  }
  return out;
}

std::vector<ChainLink> chain_of(const TacticStudy& study, const Setting&) {
  if (study.count(FailedBy::init) == 0) return {};
  std::vector<ChainLink> chain{symptom(study), separation(study), bytes(study)};
  if (bytes_agree(study) == Confidence::refuted) return chain;
  chain.push_back(component(study));
  chain.push_back(fix(study));
  return chain;
}

}  // namespace tilefit
