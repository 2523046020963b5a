#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace caisson::cli {

/// The most files that a message names.
inline constexpr std::size_t most_named = 5;

/// A sentence about a run's kept files, with the command that fetches them; empty if there are none.
std::string kept_files(const boost::json::object& record, const std::string& execution_id);

/// Problems of the file collection, and the first few files left out with the reason; one sentence each.
std::vector<std::string> trouble_with_files(const boost::json::object& record);

/// "3 files (1.5 MiB)".
std::string count_and_size(std::size_t files, std::int64_t bytes);

}    // namespace caisson::cli
