// SPDX-License-Identifier: Apache-2.0
// Where an installed Python package keeps its files. Python itself is not run.
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/result.h"

namespace tilefit {

/// The folders that Python would look into, as far as environment and file system show: PYTHONPATH,
/// the active virtual or conda environment, the user's and the system's, pyenv's.
std::vector<std::string> package_folders();

/// Files of the package, by the record of its installation, or the folder of that name. `name` as
/// pip or import spell it.
Result<std::vector<std::string>> find_package(const std::string& name,
                                              const std::vector<std::string>& folders);

}  // namespace tilefit
