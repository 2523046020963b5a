# One folder, one target: its sources are the .cpp files that lie in the folder itself.

# Libraries that read what comes from outside, which fuzzers call.
set(caisson_fuzzed core_base core_async core_auth core_protocol core_retry core_files core_skills core_images core_threads core_webhooks core_log core_languages core_admission core_exec
  adapters_archive adapters_crypto adapters_net adapters_schema adapters_yaml app_cli app_config app_wire)

# caisson_library(NAME DEPS...): a static library of this folder, in the project's style.
function(caisson_library name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(NOT sources)    # types and ports only
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE caisson_options ${ARGN})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC caisson_options ${ARGN})
  if(name IN_LIST caisson_fuzzed)
    target_link_libraries(${name} PRIVATE caisson_coverage)
  endif()
  caisson_precompiled(${name})
endfunction()

# caisson_add_folders(NAME FOLDERS...): sources of folders below this one, which need this one's, become part of its library.
function(caisson_add_folders name)
  foreach(folder IN LISTS ARGN)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
    target_sources(${name} PRIVATE ${sources})
  endforeach()
  caisson_unity_by_folder(${name})
endfunction()

# Where several sources are compiled as one (CMAKE_UNITY_BUILD, in all presets but dev): of a target of several
# folders only those of one folder, as elsewhere. The lints look for names that two sources of a folder have in common.
function(caisson_unity_by_folder name)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  list(SORT sources)
  set(last "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(last "${folder}")
      set(count 0)
    endif()
    math(EXPR batch "${count} / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    math(EXPR count "${count} + 1")
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE group)
    string(MAKE_C_IDENTIFIER "${group}_${batch}" group)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# Tests of a folder have helpers of the same names: those are compiled as one in which none of another occurs.
function(caisson_unity_of_tests name)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  list(SORT sources)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  execute_process(COMMAND /usr/bin/python3 -B "${CMAKE_SOURCE_DIR}/tools/lints/names.py" --apart ${CMAKE_UNITY_BUILD_BATCH_SIZE} ${sources}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(each IN LISTS groups)
    string(REGEX MATCH "^([0-9]+) (.*)$" each "${each}")
    set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "apart_${CMAKE_MATCH_1}")
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

set(caisson_precompiled_headers
  <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <unordered_map> <utility> <variant> <vector>
  <boost/asio.hpp> <boost/asio/experimental/parallel_group.hpp> <boost/json.hpp> <boost/system/result.hpp>)

# All targets but the first share one precompiled header: it is most of the build time.
function(caisson_precompiled name)
  if(TARGET caisson_pch)
    target_precompile_headers(${name} REUSE_FROM caisson_pch)
  endif()
endfunction()

# The same for the code of tests, which is not optimised: with it their templates take four times as long to compile.
function(caisson_precompiled_test name)
  caisson_unity_of_tests(${name})
  target_compile_options(${name} PRIVATE -O0)
  target_precompile_headers(${name} REUSE_FROM caisson_test_pch)
endfunction()

# caisson_tests(NAME DEPS...): one test program of this folder's *_test.cpp and helpers.
function(caisson_tests name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE caisson_options ${ARGN} tests_support GTest::gmock GTest::gtest GTest::gtest_main)
  caisson_precompiled_test(${name})
  # In parts, so that all cores have work, but not each test by itself: starting a program under the sanitizers takes longer than most tests.
  set(parts 4)
  foreach(part RANGE 1 ${parts})
    math(EXPR index "${part} - 1")
    # One that hangs is told to abort, so that the sanitizer shows where.
    add_test(NAME "${name}.${part}" COMMAND timeout --foreground --signal=ABRT --kill-after=20 570
      "$<TARGET_FILE:${name}>" "--gtest_output=xml:${CMAKE_BINARY_DIR}/reports/unit/${name}.${part}.xml")
    set_tests_properties("${name}.${part}" PROPERTIES TIMEOUT 600
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index};ASAN_OPTIONS=handle_abort=1")
  endforeach()
endfunction()
