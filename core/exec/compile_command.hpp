#pragma once

#include "core/exec/languages.hpp"
#include "core/protocol/collect_stream.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Code in a language that is compiled, as it was sent. Paths are relative to the working directory.
struct code_files {
    std::string main;
    std::string_view code;              // what `main` holds
    std::vector<std::string> others;    // all other files
    std::int64_t memory_bytes = 0;      // of the limit that holds
};

/// The compiler's argv, which starts in the working directory. `from` is available and compiled.
std::vector<std::string> compile_command(const language_catalog::entry& from, const code_files& files);

/// The argv that runs what was made. `to_work` leads from where it starts to the working directory: empty, "../" or "/workspace/".
std::vector<std::string> made_command(const language_catalog::entry& from, const code_files& files, std::string_view to_work);

/// The class that `java` is told to run: "com.acme.Main" of Main.java that says `package com.acme;`.
std::string java_class_of(const std::string& main, std::string_view code);

}    // namespace caisson
