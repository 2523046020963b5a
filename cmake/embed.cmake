# Text files as constants. Included, it defines caisson_embed(); run as a script (cmake -P) it writes one header.

# caisson_embed(TARGET HEADER NAMESPACE FILES...): makes HEADER, to be included by that name from TARGET and from what links
# it. A file …/folder/name.ext becomes
#   namespace NAMESPACE::folder { inline constexpr std::string_view name = "…"; }
# ("v" is put before a name that begins with a digit), and each such namespace has `files`: the file names and texts of its
# folder in the order of their names.
function(caisson_embed target header namespace)
  set(output "${CMAKE_BINARY_DIR}/generated/${header}")
  list(SORT ARGN)
  string(JOIN "|" joined ${ARGN})
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DNAMESPACE=${namespace}" "-DFILES=${joined}"
            -P "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${ARGN} "${CMAKE_SOURCE_DIR}/cmake/embed.cmake"
    COMMENT "Embedding ${header}" VERBATIM)
  # A target of its own: the sources then wait for the header only, not for all that TARGET links.
  string(MAKE_C_IDENTIFIER "embed_${header}" embedding)
  add_custom_target(${embedding} DEPENDS "${output}")
  add_dependencies(${target} ${embedding})
  target_include_directories(${target} PUBLIC "${CMAKE_BINARY_DIR}/generated")
endfunction()

# The raw string literal of a file's text, without its last line break.
function(caisson_literal_of file result)
  file(READ "${file}" text)
  string(FIND "${text}" ")embedded\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file}: holds the end mark of a raw string; change the mark in cmake/embed.cmake")
  endif()
  string(REGEX REPLACE "\n$" "" text "${text}")
  set(${result} "R\"embedded(${text})embedded\"" PARENT_SCOPE)
endfunction()

function(caisson_write_header)
  string(REPLACE "|" ";" files "${FILES}")
  set(body "")
  set(folder "")
  set(table "")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    get_filename_component(stem "${file}" NAME_WE)
    get_filename_component(parent "${file}" DIRECTORY)
    get_filename_component(parent "${parent}" NAME)
    string(MAKE_C_IDENTIFIER "${stem}" identifier)
    string(REGEX REPLACE "^_([0-9])" "v\\1" identifier "${identifier}")
    if(NOT parent STREQUAL folder)
      if(folder)
        string(APPEND body "inline constexpr std::pair<std::string_view, std::string_view> files[] = {\n${table}};\n}\n")
      endif()
      set(folder "${parent}")
      set(table "")
      string(APPEND body "namespace ${NAMESPACE}::${folder} {\n")
    endif()
    caisson_literal_of("${file}" literal)
    string(APPEND body "inline constexpr std::string_view ${identifier} = ${literal};\n")
    string(APPEND table "    {\"${name}\", ${identifier}},\n")
  endforeach()
  string(APPEND body "inline constexpr std::pair<std::string_view, std::string_view> files[] = {\n${table}};\n}\n")
  file(WRITE "${OUTPUT}.new" "#pragma once\n\n#include <string_view>\n#include <utility>\n\n${body}")
  file(RENAME "${OUTPUT}.new" "${OUTPUT}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  caisson_write_header()
endif()
