#pragma once

#include "core/languages/compiler_choices.hpp"
#include "core/languages/fortran_order.hpp"
#include "core/languages/languages.hpp"
#include "core/protocol/collect_stream.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// The files of a request with code in a compiled language. Paths are relative to the working directory.
struct code_files {
    std::string main;
    std::string_view code;                          // content of `main`
    std::vector<std::string> others;                // all other files
    std::int64_t memory_bytes = 0;                  // the memory limit in force
    std::vector<std::string_view> contents = {};    // contents of other files that may hold a class with main
    compiler_wishes wishes = {};
    std::vector<fortran_file> fortran = {};    // the other Fortran source files
};

/// The compiler's start directory, relative to the working directory; empty: the working directory itself.
std::string compile_directory(const language_catalog::entry& from, const code_files& files);

/// The compiler's argv, to be run in compile_directory(). `from` must be available and have a compiler.
std::vector<std::string> compile_command(const language_catalog::entry& from, const code_files& files);

/// The argv that runs the compiled program. `to_work` leads from its start directory to the working directory: empty, "../" or
/// "/workspace/".
std::vector<std::string> made_command(const language_catalog::entry& from, const code_files& files, std::string_view to_work);

/// A file for the compiler that is not part of the request.
struct compiler_file {
    std::string path;    // relative to the working directory
    std::string content;
};
std::vector<compiler_file> compiler_files(const language_catalog::entry& from, const code_files& files);

/// The name of the code's file if the request gives none: the table's, or in Java the public type's.
std::string default_file(const language& what, std::string_view code);

/// Why the program to run is ambiguous, as a sentence without the field's name; empty if it is not.
std::string start_problem(const language& what, const code_files& files);

}    // namespace caisson
