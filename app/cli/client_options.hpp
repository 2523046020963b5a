#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace caisson::cli {

enum class output_format { table, json };

/// Options of all verbs that connect to a server.
struct client_options {
    std::string url;                   // --url, CAISSON_URL, or the default
    std::filesystem::path data_dir;    // where admin.key is
    std::filesystem::path ca_file;     // --ca, CAISSON_CA; empty: the system's CAs
    output_format output = output_format::table;
};

using named_texts = std::vector<std::pair<std::string, std::string>>;

}    // namespace caisson::cli
