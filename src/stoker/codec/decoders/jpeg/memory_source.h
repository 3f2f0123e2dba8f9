// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/codec/decoder.h"
#include "stoker/codec/libjpeg.h"

namespace stoker::codec::jpeg {

// Makes `source` read bytes that are there already. Unlike libjpeg's own memory source it makes up
// no end marker: data that end early are an error.
void init_memory_source(jpeg_source_mgr& source);

inline void set_memory(jpeg_source_mgr& source, Bytes data) {
  source.next_input_byte = data.data();
  source.bytes_in_buffer = data.size();
}

}  // namespace stoker::codec::jpeg
