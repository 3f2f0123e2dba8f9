// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stoker/pipeline/chain.h"

namespace stoker::pipeline {

// Transforms as a script has them: "RandomResizedCrop(224, scale=(0.5, 1)),
// RandomHorizontalFlip()", with commas or bars between them. Values are numbers, True and False,
// None (which leaves the default), words with or without quotes, and lists of these in round or
// square brackets. Words before a dot are left out, so T.InterpolationMode.BICUBIC is "bicubic".
// Throws Error that shows the place, with a hint; what the values mean is judged by Chain.
std::vector<TransformSpec> parse_transforms(std::string_view text);

// The same text again, with a name before every value.
std::string transforms_text(const std::vector<TransformSpec>& specs);

}  // namespace stoker::pipeline
