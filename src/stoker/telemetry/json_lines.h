// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "stoker/core/json.h"

namespace stoker::telemetry {

// Calls `use` for each JSON object of a file that has one a line; other lines are left out. Gives
// how many objects were cut short: a writer was killed, or the disk was full. Another process may
// then have written on behind it, in the same line; that object is found.
int for_each_object(const std::string& text, const std::function<void(const Json&)>& use);

}  // namespace stoker::telemetry
