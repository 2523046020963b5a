#pragma once

#include "app/cli/client_options.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace caisson::cli {

/// NAME[@VERSION] of the command line.
struct skill_name {
    std::string name;
    std::string version;    // empty: not given
};

struct skill_new_options {
    std::filesystem::path folder;    // its last part is the skill's name
    std::string lang = "python";     // python, node, bash
};

struct skill_lint_options {
    std::filesystem::path source;    // a folder or an archive
    bool json = false;
};

struct skill_pack_options {
    std::filesystem::path source;
    std::optional<std::filesystem::path> target;    // empty: NAME-VERSION.zip here
    bool force = false;
};

struct skill_push_options {
    client_options client;
    std::filesystem::path source;    // a folder or an archive
    bool quiet = false;
};

struct skill_list_options {
    client_options client;
    std::string name;
    std::string text;
};

struct skill_show_options {
    client_options client;
    skill_name skill;
};

struct skill_remove_options {
    client_options client;
    skill_name skill;
    bool all = false;
};

struct skill_run_options {
    client_options client;
    skill_name skill;
    std::optional<std::string> input;    // JSON text, or "-" for standard input
    std::optional<std::filesystem::path> input_file;
    std::vector<std::string> command;    // runs in the package instead of the skill's program; empty: its program
    named_texts env;
    named_texts labels;
    std::optional<std::int64_t> wall_ms;
    std::optional<std::int64_t> memory_bytes;
    std::optional<double> cpus;
    std::optional<int> attempts;
    std::string runtime;
    std::optional<std::filesystem::path> download;
    bool force = false;
    bool detach = false;
    bool stats = false;
    bool quiet = false;
};

struct artifact_list_options {
    client_options client;
    std::string id;
};

struct artifact_get_options {
    client_options client;
    std::string id;
    std::string path;                // empty: all of them
    std::filesystem::path target;    // with `path` a file ("-": standard output), else a folder
    bool force = false;
    bool quiet = false;
};

}    // namespace caisson::cli
