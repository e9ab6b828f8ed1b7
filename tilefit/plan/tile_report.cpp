// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/tile_report.h"

#include <utility>

#include "tilefit/plan/culprit.h"
#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"

namespace tilefit {

TileReport tile_report(const TileRequest& request, bool explain) {
  TileReport report;
  report.plan = plan_tile(request);
  Culprit blame = culprit(report.plan);
  report.sentence = std::move(blame.sentence);
  report.marked = blame.found;
  report.culprit = blame.part;
  report.fixes = fixes(report.plan);
  if (explain) report.ledger = ledger(request);
  return report;
}

}  // namespace tilefit
