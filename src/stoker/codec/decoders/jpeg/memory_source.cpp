// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/memory_source.h"

namespace stoker::codec::jpeg {
namespace {

void on_source(j_decompress_ptr /*cinfo*/) {}

boolean on_source_end(j_decompress_ptr cinfo) {
  ERREXIT(cinfo, JERR_INPUT_EOF);
  return FALSE;
}

void on_source_skip(j_decompress_ptr cinfo, long count) {
  if (count <= 0) {
    return;
  }
  if (static_cast<size_t>(count) > cinfo->src->bytes_in_buffer) {
    ERREXIT(cinfo, JERR_INPUT_EOF);
  }
  cinfo->src->next_input_byte += count;
  cinfo->src->bytes_in_buffer -= static_cast<size_t>(count);
}

}  // namespace

void init_memory_source(jpeg_source_mgr& source) {
  source.init_source = on_source;
  source.fill_input_buffer = on_source_end;
  source.skip_input_data = on_source_skip;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = on_source;
}

}  // namespace stoker::codec::jpeg
