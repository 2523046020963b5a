#pragma once

#include "app/cli/client_options.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson::cli {

struct thread_list_options {
    client_options client;
};

struct thread_log_options {
    client_options client;
    std::string thread;
    std::int64_t limit = 50;
};

struct thread_show_options {
    client_options client;
    std::string thread;
    std::string checkpoint = "latest";
};

struct thread_diff_options {
    client_options client;
    std::string thread;
    std::string from;
    std::string to = "latest";
};

struct thread_rollback_options {
    client_options client;
    std::string thread;
    std::string checkpoint;
    bool truncate = false;
};

struct thread_branch_options {
    client_options client;
    std::string thread;
    std::string name;          // of the new thread
    std::string checkpoint;    // empty: the latest
};

/// With checkpoints: removes only these.
struct thread_remove_options {
    client_options client;
    std::string thread;
    std::vector<std::string> checkpoints;
};

struct thread_export_options {
    client_options client;
    std::string thread;
    std::filesystem::path target;    // empty: THREAD.ndjson here; "-": standard output
    bool force = false;
};

struct thread_import_options {
    client_options client;
    std::string thread;
    std::filesystem::path source;
};

}    // namespace caisson::cli
