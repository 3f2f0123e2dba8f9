// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stoker::io {

// A queue that allocates only when it grows. One thread.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // Requires: not empty.
  T& front() { return items_[begin_]; }
  void pop_front() {
    begin_ = (begin_ + 1) % items_.size();
    --size_;
  }
  void push_back(const T& item) {
    if (size_ == items_.size()) {
      std::rotate(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  items_.end());
      begin_ = 0;
      items_.resize(std::max<size_t>(16, 2 * size_));
    }
    items_[(begin_ + size_) % items_.size()] = item;
    ++size_;
  }
  void clear() { begin_ = size_ = 0; }
  // The first for which `is_it` holds; nullptr: none.
  template <class Predicate>
  T* find_if(Predicate is_it) {
    for (size_t i = 0; i < size_; ++i) {
      T& item = items_[(begin_ + i) % items_.size()];
      if (is_it(item)) {
        return &item;
      }
    }
    return nullptr;
  }

 private:
  std::vector<T> items_;
  size_t begin_ = 0;
  size_t size_ = 0;
};

}  // namespace stoker::io
