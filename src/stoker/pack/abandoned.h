// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stoker::pack {

// Removes temporary files beside `path` (see temporary_name_for()) that nobody has touched for a
// day: those of runs that were killed. What cannot be removed stays.
void remove_abandoned(const std::string& path);

}  // namespace stoker::pack
