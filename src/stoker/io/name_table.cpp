// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/name_table.h"

namespace stoker::io {

void NameTable::reserve(size_t names, size_t characters) {
  text_.reserve(characters);
  ends_.reserve(names);
  bases_.reserve((names + kBlock - 1) / kBlock);
}

void NameTable::add(std::string_view name) {
  if (ends_.size() % kBlock == 0) {
    bases_.push_back(text_.size());
  }
  text_.insert(text_.end(), name.begin(), name.end());
  ends_.push_back(static_cast<uint32_t>(text_.size() - bases_.back()));
}

void NameTable::shrink() {
  text_.shrink_to_fit();
  bases_.shrink_to_fit();
  ends_.shrink_to_fit();
}

size_t NameTable::memory_bytes() const {
  return text_.capacity() + bases_.capacity() * sizeof(uint64_t) +
         ends_.capacity() * sizeof(uint32_t);
}

bool NameTable::is_sound() const {
  if (bases_.size() != (ends_.size() + kBlock - 1) / kBlock) {
    return false;
  }
  uint64_t end = 0;
  for (size_t i = 0; i < ends_.size(); ++i) {
    const uint64_t base = bases_[i / kBlock];
    if ((i % kBlock == 0 && base != end) || base + ends_[i] < end) {
      return false;
    }
    end = base + ends_[i];
  }
  return end == text_.size();
}

}  // namespace stoker::io
