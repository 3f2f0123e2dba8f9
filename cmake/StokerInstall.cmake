# `cmake --install BUILD --prefix DIR --component engine`: the data engine as a C++ library, for
# find_package(stoker) and `target_link_libraries(... stoker::pipeline)`. See examples/cpp.
set(engine core codec io image pipeline)
set(targets stoker_warnings)
foreach(area ${engine})
  set_target_properties(stoker_${area} PROPERTIES EXPORT_NAME ${area})
  list(APPEND targets stoker_${area})
  install(DIRECTORY src/stoker/${area} DESTINATION include/stoker COMPONENT engine
    FILES_MATCHING PATTERN "*.h" PATTERN testing EXCLUDE)
endforeach()
install(TARGETS ${targets} EXPORT stoker ARCHIVE DESTINATION lib COMPONENT engine)
install(EXPORT stoker NAMESPACE stoker:: FILE stoker-targets.cmake DESTINATION lib/cmake/stoker
  COMPONENT engine)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/stoker-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/stoker-config.cmake ${CMAKE_BINARY_DIR}/stoker-config-version.cmake
  DESTINATION lib/cmake/stoker COMPONENT engine)
