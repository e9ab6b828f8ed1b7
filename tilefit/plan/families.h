// SPDX-License-Identifier: Apache-2.0
// Families with byte models of their own: one row each. CUTLASS is planned in plan.cpp.
#pragma once

#include <array>

#include "tilefit/model/tile_plan.h"

namespace tilefit {

/// Fills in what `plan.request` asks for: either the storage and its stages, or an outcome with the
/// reason. Whether the storage fits is judged by the caller.
void plan_triton(TilePlan& plan);
void plan_deepgemm(TilePlan& plan);
void plan_tilefit(TilePlan& plan);

struct FamilyPlanner {
  Family family;
  void (*plan)(TilePlan&);
};

inline constexpr std::array kFamilyPlanners{
    FamilyPlanner{Family::triton, plan_triton},
    FamilyPlanner{Family::deepgemm, plan_deepgemm},
    FamilyPlanner{Family::tilefit, plan_tilefit},
};

}  // namespace tilefit
