# Warnings for our own targets; errors only where STOKER_WERROR is on (the dev presets).
add_library(stoker_warnings INTERFACE)
target_compile_options(stoker_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wnull-dereference -Wunused-result $<$<BOOL:${STOKER_WERROR}>:-Werror>)
