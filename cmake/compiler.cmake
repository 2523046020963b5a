# The compiler, its warnings and the sanitizers, as one interface target: caisson_options.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR
    "GCC ${CMAKE_CXX_COMPILER_VERSION} miscompiles coroutines: it destroys closures and aggregates inside a co_await "
    "expression twice, without a warning (GCC bugs 95599 and 104031; fixed in 13). Use clang 19: "
    "apt-get install clang-19 lld-19, then configure with a preset (cmake --preset release).")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

set(CAISSON_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")
if(CAISSON_SANITIZE STREQUAL "ON")    # what build directories have in their cache that were configured when this was a switch
  set(CAISSON_SANITIZE "address,undefined")
endif()

find_program(CAISSON_CCACHE ccache)
if(CAISSON_CCACHE)
  # A precompiled header needs the sloppiness; see "Precompiled headers" in ccache(1).
  set(launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CAISSON_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(CAISSON_MOLD mold)
find_program(CAISSON_LLD NAMES ld.lld-19 ld.lld)
if(CAISSON_LLD)
  add_link_options(--ld-path=${CAISSON_LLD})
elseif(CAISSON_MOLD)
  add_link_options(--ld-path=${CAISSON_MOLD})
endif()

add_library(caisson_warnings INTERFACE)
target_compile_options(caisson_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Wno-missing-field-initializers -Werror)
if(CMAKE_UNITY_BUILD AND NOT CAISSON_SANITIZE)    # a local name may hide another source's; each source by itself is looked at in the other builds
  target_compile_options(caisson_warnings INTERFACE -Wno-shadow)
endif()

add_library(caisson_options INTERFACE)
target_include_directories(caisson_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_definitions(caisson_options INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_BEAST_USE_STD_STRING_VIEW
  BOOST_URL_NO_LIB=1 BOOST_URL_STATIC_LINK=1)
target_link_libraries(caisson_options INTERFACE caisson_warnings)
if(CAISSON_SANITIZE)
  target_compile_options(caisson_options INTERFACE -fsanitize=${CAISSON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(caisson_options INTERFACE -fsanitize=${CAISSON_SANITIZE})
endif()

# What fuzzers are led by, of the code that they call. Programs that are not fuzzers have empty functions for it from ASan's runtime.
add_library(caisson_coverage INTERFACE)
if(CAISSON_FUZZ)
  target_compile_options(caisson_coverage INTERFACE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
endif()
