# find_package(stoker): targets stoker::core, codec, io, image and pipeline. They are static, so what
# they are made of must be here too.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(JPEG)
find_dependency(ZLIB)
find_dependency(PNG)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(PkgConfig)
pkg_check_modules(WEBP QUIET IMPORTED_TARGET libwebp)
include(${CMAKE_CURRENT_LIST_DIR}/stoker-targets.cmake)
