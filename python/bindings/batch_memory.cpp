// SPDX-License-Identifier: Apache-2.0
#include "batch_memory.h"

#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// The part of DLPack's binary interface (github.com/dmlc/dlpack, version 0) that is needed here.
struct DlTensor {
  void* data;
  int32_t device_type, device_id;  // 1: CPU
  int32_t dimensions;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManagedTensor*);
};

constexpr const char* kCapsule = "dltensor";  // a consumer renames it

struct Owner {
  DlManagedTensor managed{};
  std::vector<int64_t> shape, strides;
  std::shared_ptr<stoker::BlockPool> pool;
  size_t size_bytes = 0;
};

void release(DlManagedTensor* managed) {
  const std::unique_ptr<Owner> owner(static_cast<Owner*>(managed->context));
  owner->pool->give_back(managed->tensor.data, owner->size_bytes);
}

void drop_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsule) != 0) {
    auto* managed = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsule));
    managed->deleter(managed);
  }
}

}  // namespace

nb::object BatchMemory::tensor(const std::vector<int64_t>& shape,
                               const std::vector<int64_t>& strides, int code, int bits) const {
  auto owner = std::make_unique<Owner>();
  owner->shape = shape;
  owner->strides = strides;
  owner->pool = pool_;
  owner->size_bytes = static_cast<size_t>(bits / 8);
  for (const int64_t length : shape) {
    owner->size_bytes *= static_cast<size_t>(length);
  }
  owner->managed = {{pool_->take(owner->size_bytes), 1, 0, static_cast<int32_t>(shape.size()),
                     static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1, owner->shape.data(),
                     owner->strides.data(), 0},
                    owner.get(),
                    release};
  PyObject* capsule = PyCapsule_New(&owner->managed, kCapsule, drop_unused);
  if (capsule == nullptr) {
    pool_->give_back(owner->managed.tensor.data, owner->size_bytes);
    throw nb::python_error();
  }
  // NOLINTNEXTLINE(bugprone-unused-return-value): the capsule's, or torch's, from here on
  owner.release();
  return nb::steal(capsule);
}

void register_batch_memory(nb::module_& m) {
  nb::class_<BatchMemory>(m, "BatchMemory", "Memory for batches that is used again.")
      .def(nb::init<size_t>(), "most_free"_a)
      .def("tensor", &BatchMemory::tensor, "shape"_a, "strides"_a, "code"_a, "bits"_a)
      .def("free_blocks", &BatchMemory::free_blocks);
}
