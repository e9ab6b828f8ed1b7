// SPDX-License-Identifier: Apache-2.0
// diagnose: facts -> findings, worst first, and the causal chain.
#pragma once

#include "tilefit/doctor/setting.h"
#include "tilefit/model/diagnosis.h"

namespace tilefit {

Diagnosis diagnose(LogFacts log, const DoctorOptions& options);

}  // namespace tilefit
