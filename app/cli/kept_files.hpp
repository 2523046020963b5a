#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace caisson::cli {

/// Of many files so many are named in a message.
inline constexpr std::size_t most_named = 5;

/// What of a run's files is kept, and the command that fetches them, as a sentence; empty if the record tells of none.
std::string kept_files(const boost::json::object& record, const std::string& execution_id);

/// What went wrong while files were collected, and what was left out and why: a sentence each, the first few.
std::vector<std::string> trouble_with_files(const boost::json::object& record);

/// "3 files (1.5 MiB)".
std::string count_and_size(std::size_t files, std::int64_t bytes);

}    // namespace caisson::cli
