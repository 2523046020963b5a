#pragma once

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

enum class output_format { table, json };

/// What all verbs that talk to a server have in common.
struct client_options {
    std::string url;                   // --url, CAISSON_URL, or the default
    std::filesystem::path data_dir;    // where admin.key is looked for
    std::filesystem::path ca_file;     // --ca, CAISSON_CA; empty: the system's CAs
    output_format output = output_format::table;
};

struct serve_options {
    std::optional<std::filesystem::path> config_file;
    std::vector<flag_setting> flags;
    bool show_settings = false;
};

/// A local file that is to be put into the sandbox.
struct upload {
    std::filesystem::path from;
    std::string as;
};

using named_texts = std::vector<std::pair<std::string, std::string>>;

/// Exactly one of code, file, shell and command is given; program_from_stdin stands for the file "-".
struct run_options {
    client_options client;
    std::string language;
    std::optional<std::string> code;
    std::optional<std::filesystem::path> file;
    bool program_from_stdin = false;
    std::optional<std::string> shell;
    std::vector<std::string> command;
    std::vector<std::string> args;
    std::vector<upload> files;
    named_texts env;
    named_texts labels;
    std::optional<std::int64_t> wall_ms;
    std::optional<std::int64_t> memory_bytes;
    std::optional<double> cpus;
    std::string network;
    std::string runtime;
    std::string cwd;
    bool forward_stdin = false;
    bool pty = false;
    bool detach = false;
    bool stats = false;
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

using command =
    std::variant<serve_options, run_options, ps_options, show_options, logs_options, cancel_options, rm_options, key_create_options,
        key_list_options, key_revoke_options, doctor_options, db_check_options, backup_options, restore_options, version_options>;

/// Either a command, or a text to print and the status to exit with (help on stdout, mistakes on stderr).
struct parse_outcome {
    std::optional<cli::command> command;
    std::string text;
    int exit_status = 0;
};

/// Facts that the parser's defaults and choices depend on.
struct parse_context {
    std::map<std::string, std::string> environment;
    host_facts host;
    bool stdin_is_terminal = false;
};

inline constexpr std::string_view default_url = "http://127.0.0.1:8320";

/// Reads the arguments after the program's name. No I/O.
parse_outcome parse_command_line(const std::vector<std::string>& args, const parse_context& context);

}    // namespace caisson::cli
