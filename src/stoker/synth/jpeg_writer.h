// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/core/image_view.h"
#include "stoker/core/status.h"

namespace stoker::synth {

Status encode_jpeg(const ImageView& rgb, int quality, std::vector<uint8_t>& out);

}  // namespace stoker::synth
