// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/diagnose.h"

#include <algorithm>

#include "tilefit/doctor/chain.h"
#include "tilefit/doctor/rules.h"

namespace tilefit {

Diagnosis diagnose(LogFacts log, const DoctorOptions& options) {
  const Setting setting = setting_of(log, options);
  const TacticStudy study = study_tactics(log, setting);
  const LineIndex index(log);
  const Patient patient{log, setting, study, index};

  Diagnosis d;
  d.gpu = setting.gpu;
  d.arch = setting.arch != nullptr ? setting.arch->name : "";
  for (const Rule* rule : all_rules()) rule->check(patient, *rule, d.findings);
  std::stable_sort(d.findings.begin(), d.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  d.chain = chain_of(study, setting);
  d.dropped = log.dropped;
  d.inputs = std::move(log.inputs);
  return d;
}

}  // namespace tilefit
