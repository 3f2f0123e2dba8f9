// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stoker/core/status.h"

namespace stoker {

// Where things are relative to the running executable; a test fills this in itself.
struct ProcessPaths {
  std::string executable = {};   // real path
  std::string package_env = {};  // STOKER_PACKAGE
  std::string python_env = {};   // STOKER_PYTHON
  std::string search_path = {};  // PATH

  static ProcessPaths of_this_process();
};

// The folder of the Python package `stoker` that belongs to the executable: STOKER_PACKAGE, else
// beside the executable in a checkout, an installation or a virtual environment. A failure
// (NotFound) lists what was tried.
Result<std::string> find_python_package(const ProcessPaths& paths);

// The interpreter for stoker's own Python parts: STOKER_PYTHON, else the one beside the
// executable, else the .venv of a checkout, else python3 of PATH.
Result<std::string> find_python(const ProcessPaths& paths);

// Where stoker keeps what it may lose: STOKER_CACHE, else the XDG cache folder of the user. Empty
// where there is none. The folder need not exist yet.
std::string cache_folder();

}  // namespace stoker
