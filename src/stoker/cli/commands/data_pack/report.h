// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/core/json.h"
#include "stoker/pack/pack_set.h"

namespace stoker::cli {

// "stoker.data.pack/1"
Json pack_json(const pack::PackOptions& options, const pack::PackReport& report);
// The same for people, on stdout.
void print_pack(const pack::PackOptions& options, const pack::PackReport& report);

}  // namespace stoker::cli
