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

/// Code in a language that is compiled, as it was sent. Paths are relative to the working directory.
struct code_files {
    std::string main;
    std::string_view code;                          // what `main` holds
    std::vector<std::string> others;                // all other files
    std::int64_t memory_bytes = 0;                  // of the limit that holds
    std::vector<std::string_view> contents = {};    // of the other files that may hold a class with main
    compiler_wishes wishes = {};
    std::vector<fortran_file> fortran = {};    // those of the other files that are compiled, if it is Fortran
};

/// The directory in which the compiler starts, relative to the working directory; empty: the working directory.
std::string compile_directory(const language_catalog::entry& from, const code_files& files);

/// The compiler's argv, which starts in compile_directory(). `from` is available and compiled.
std::vector<std::string> compile_command(const language_catalog::entry& from, const code_files& files);

/// The argv that runs what was made. `to_work` leads from where it starts to the working directory: empty, "../" or "/workspace/".
std::vector<std::string> made_command(const language_catalog::entry& from, const code_files& files, std::string_view to_work);

/// A file that the compiler is given besides those of the request.
struct compiler_file {
    std::string path;    // relative to the working directory
    std::string content;
};
std::vector<compiler_file> compiler_files(const language_catalog::entry& from, const code_files& files);

/// The name of the code's file where the request names none: that of the table, in Java that of the public class.
std::string default_file(const language& what, std::string_view code);

/// Why it cannot be told what is to run: a sentence without the field's name; empty if it can.
std::string start_problem(const language& what, const code_files& files);

}    // namespace caisson
