// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/error_trap.h"

namespace stoker::codec::jpeg {
namespace {

[[noreturn]] void fail(j_common_ptr cinfo, ErrorCode code) {
  auto* trap = reinterpret_cast<ErrorTrap*>(cinfo->err);
  trap->code = code;
  cinfo->err->format_message(cinfo, trap->message);
  std::longjmp(trap->jump, 1);
}

ErrorCode code_of(int message) {
  switch (message) {
    case JERR_OUT_OF_MEMORY:
      return ErrorCode::TooLarge;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
      return ErrorCode::Unsupported;
    case JERR_INPUT_EOF:
      return ErrorCode::Truncated;
    default:
      return ErrorCode::Corrupt;
  }
}

void on_error(j_common_ptr cinfo) {
  fail(cinfo, code_of(cinfo->err->msg_code));
}

// A warning means that libjpeg guesses pixels; negative levels are warnings.
void on_message(j_common_ptr cinfo, int level) {
  if (level < 0) {
    fail(cinfo, ErrorCode::Corrupt);
  }
}

void on_output(j_common_ptr /*cinfo*/) {}

}  // namespace

jpeg_error_mgr* ErrorTrap::install() {
  jpeg_error_mgr* manager = jpeg_std_error(&base);
  base.error_exit = on_error;
  base.emit_message = on_message;
  base.output_message = on_output;
  return manager;
}

}  // namespace stoker::codec::jpeg
