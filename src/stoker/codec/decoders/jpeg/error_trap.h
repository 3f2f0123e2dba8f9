// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csetjmp>

#include "stoker/codec/libjpeg.h"
#include "stoker/core/status.h"

namespace stoker::codec::jpeg {

// libjpeg's error callbacks jump here; a warning is an error, because libjpeg makes up pixels
// after it. Every function between guarded() and libjpeg must hold nothing with a destructor: the
// jump would skip it.
struct ErrorTrap {
  jpeg_error_mgr base;  // first: libjpeg hands out a pointer to it
  std::jmp_buf jump;
  ErrorCode code;
  char message[JMSG_LENGTH_MAX];

  // What cinfo.err is to be.
  jpeg_error_mgr* install();
  // After guarded() has returned false.
  Status failure() const { return {code, message}; }
};

// Runs `body`; false when libjpeg failed.
template <class Body>
bool guarded(ErrorTrap& trap, Body body) {
  if (setjmp(trap.jump) != 0) {  // NOLINT(cert-err52-cpp): libjpeg knows no other way
    return false;
  }
  body();
  return true;
}

}  // namespace stoker::codec::jpeg
