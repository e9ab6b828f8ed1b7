// SPDX-License-Identifier: Apache-2.0
// A diagnosis as text, and as JSON (schema tilefit.doctor/1, schemas/doctor.schema.json).
#pragma once

#include <string>

#include "tilefit/model/diagnosis.h"
#include "tilefit/report/style.h"

namespace tilefit {

std::string doctor_text(const Diagnosis& diagnosis, const TextStyle& style);
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace tilefit
