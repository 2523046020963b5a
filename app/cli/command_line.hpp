#pragma once

#include "app/cli/client_options.hpp"
#include "app/cli/image_options.hpp"
#include "app/cli/skill_options.hpp"
#include "app/cli/thread_options.hpp"
#include "app/config/load.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace caisson::cli {

struct serve_options {
    std::optional<std::filesystem::path> config_file;
    std::vector<flag_setting> flags;
    bool show_settings = false;
};

/// A local file to put into the sandbox.
struct upload {
    std::filesystem::path from;
    std::string as;
};

/// Exactly one of code, file, shell and command is given; program_from_stdin stands for the file "-". One member for each option.
struct run_options {
    client_options client;
    std::string language;
    std::optional<std::string> code;
    std::string standard;    // language standard; empty: the compiler's default
    std::vector<std::string> compiler_flags;
    std::optional<std::filesystem::path> file;
    bool program_from_stdin = false;
    std::optional<std::string> shell;
    std::vector<std::string> command;
    std::vector<std::string> args;
    std::vector<upload> files;
    std::vector<std::string> collect;    // patterns of the files to keep
    named_texts env;
    named_texts labels;
    std::optional<std::int64_t> wall_ms;
    std::optional<std::int64_t> memory_bytes;
    std::optional<std::int64_t> stack_bytes;
    std::optional<double> cpus;
    std::string network;
    std::string runtime;
    std::string image;
    std::string cwd;
    bool forward_stdin = false;
    bool pty = false;
    bool detach = false;
    bool stats = false;
    bool quiet = false;
};

struct ps_options {
    client_options client;
    bool all = false;
    std::string status;
    std::string label;
    std::int64_t limit = 50;
};

struct show_options {
    client_options client;
    std::string id;
};

struct logs_options {
    client_options client;
    std::string id;
    bool follow = false;
    std::string stream;    // "stdout", "stderr" or empty for all
};

struct cancel_options {
    client_options client;
    std::string id;
};

struct rm_options {
    client_options client;
    std::vector<std::string> ids;
};

struct key_create_options {
    client_options client;
    std::string tenant;
    std::vector<std::string> scopes = {"run", "read"};
    std::optional<std::int64_t> expires_in_ms;
};

struct key_list_options {
    client_options client;
    std::optional<std::string> tenant;
};

struct key_revoke_options {
    client_options client;
    std::string id;
};

struct doctor_options {
    client_options client;
    std::optional<std::filesystem::path> config_file;
    std::vector<flag_setting> flags;
};

struct db_check_options {
    std::filesystem::path data_dir;
    bool json = false;
    bool deep = false;    // also checks the bytes of contents
};

struct backup_options {
    std::filesystem::path data_dir;
    std::filesystem::path target;
    bool force = false;
};

struct restore_options {
    std::filesystem::path source;
    std::filesystem::path data_dir;
    bool requeue = false;
};

struct version_options { };

using command = std::variant<serve_options, run_options, ps_options, show_options, logs_options, cancel_options, rm_options,
    skill_new_options, skill_lint_options, skill_pack_options, skill_push_options, skill_list_options, skill_show_options,
    skill_remove_options, skill_run_options, artifact_list_options, artifact_get_options, image_list_options, image_pull_options,
    image_build_options, image_allow_options, image_remove_options, thread_list_options, thread_log_options, thread_show_options,
    thread_diff_options, thread_rollback_options, thread_branch_options, thread_remove_options, thread_export_options,
    thread_import_options, key_create_options, key_list_options, key_revoke_options, doctor_options, db_check_options, backup_options,
    restore_options, version_options>;

/// A command, or a text to print and an exit status (help on stdout, mistakes on stderr).
struct parse_outcome {
    std::optional<cli::command> command;
    std::string text;
    int exit_status = 0;
};

/// What the parser's defaults and choices depend on.
struct parse_context {
    std::map<std::string, std::string> environment;
    host_facts host;
    bool stdin_is_terminal = false;
};

inline constexpr std::string_view default_url = "http://127.0.0.1:8320";

/// True for `run` and `skill run`, whose exit status is the program's own.
bool runs_a_program(const std::vector<std::string>& args);

/// Parses the arguments after the program's name. No I/O.
parse_outcome parse_command_line(const std::vector<std::string>& args, const parse_context& context);

}    // namespace caisson::cli
