// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/culprit.h"

#include "tilefit/plan/cutlass_kinds.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

std::string bytes_text(Bytes b) { return std::to_string(b) + " B"; }
std::string stages_text(int n) { return std::to_string(n) + (n == 1 ? " stage" : " stages"); }

/// C is staged though this epilogue never reads it, in a buffer that D does not share.
bool dead_c(const TilePlan& plan) {
  const Epilogue e = plan.request.tile.epilogue;
  return (e == Epilogue::none || e == Epilogue::finalize) && plan.smem.has(Part::epilogue_c);
}

Bytes believed_bytes(const TilePlan& plan) {
  CutlassStorage s;
  return cutlass_storage_of(plan.request, s) ? s.builder.believed : 0;
}

Culprit over_limit(const TilePlan& plan) {
  const Tile& t = plan.request.tile;
  std::string text = "needs " + bytes_text(plan.needed()) + ", " + bytes_text(plan.over()) +
                     " more than a block may have: ";
  if (!is_cutlass(plan.request.family))
    return {true, Part::mainloop_a,
            text + stages_text(plan.stages) + " of operands take " +
                bytes_text(plan.smem.bytes(Part::mainloop_a) + plan.smem.bytes(Part::mainloop_b))};
  if (t.stages > 0 && t.stages > plan.stages_auto)
    return {true, Part::mainloop_a,
            text + stages_text(t.stages) + " were asked for; the builder would take " +
                std::to_string(std::max(plan.stages_auto, 0))};
  if (plan.stages > plan.stages_auto)
    return {true, Part::mainloop_a,
            text + "the builder's quotient is " + stages_text(plan.stages_auto) + ", raised to " +
                std::to_string(plan.stages) + " with no check of what that needs"};
  const Bytes believed = believed_bytes(plan);
  if (dead_c(plan) && plan.smem.bytes(Part::epilogue_c) >= plan.over())
    return {true, Part::epilogue_c,
            text + "epilogue.c stages " + bytes_text(plan.smem.bytes(Part::epilogue_c)) +
                " that this epilogue never reads, and the builder chose " +
                stages_text(plan.stages) + " by a sum of " + bytes_text(believed) +
                " that leaves out alignment"};
  if (plan.request.static_bytes > 0 && plan.smem.total <= plan.limit)
    return {false, Part::pad,
            text + bytes_text(plan.request.static_bytes) +
                " of static shared memory come on top of the " + bytes_text(plan.smem.total) +
                " planned"};
  if (plan.request.limit > 0)
    return {false, Part::pad, text + "the limit was set to " + bytes_text(plan.limit)};
  return {true, Part::pad,
          text + "the builder chose " + stages_text(plan.stages) + " by a sum of " +
              bytes_text(believed) + " that leaves out alignment"};
}

Culprit too_few_stages(const TilePlan& plan) {
  const Tile& t = plan.request.tile;
  if (t.stages > 0)
    return {false, Part::pad,
            "does not compile: " + stages_text(t.stages) + " asked for, two are the least"};
  CutlassStorage s;
  std::string text =
      "does not compile: room for " + stages_text(std::max(plan.stages, 0)) + ", two are the least";
  if (cutlass_storage_of(plan.request, s))
    text += "; a stage takes " + bytes_text(s.builder.stage) + " of the " +
            bytes_text(s.builder.reduced_capacity - s.builder.carveout) + " that the epilogue's " +
            bytes_text(s.builder.carveout) + " leave";
  return {false, Part::pad, text};
}

}  // namespace

Culprit culprit(const TilePlan& plan) {
  switch (plan.outcome) {
    case Outcome::fits: {
      std::string spare = bytes_text(plan.needed()) + " of " + bytes_text(plan.limit) + ", " +
                          bytes_text(-plan.over()) + " to spare";
      if (plan.builds == Builds::refused)
        return {false, Part::pad,
                "fits, but does not compile: " + std::string(plan.reason) + " (" + spare + ")"};
      return {false, Part::pad, "fits: " + spare};
    }
    case Outcome::over_limit: {
      Culprit c = over_limit(plan);
      if (plan.builds == Builds::refused)
        c.sentence += "; does not compile either: " + std::string(plan.reason);
      return c;
    }
    case Outcome::too_few_stages:
      return too_few_stages(plan);
    case Outcome::rejected:
      return {false, Part::pad, "the builder refuses it: " + std::string(plan.reason)};
    case Outcome::not_built:
      return {false, Part::pad, "no such kernel: " + std::string(plan.reason)};
    default:
      return {false, Part::pad, "not known: " + std::string(plan.reason)};
  }
}

}  // namespace tilefit
