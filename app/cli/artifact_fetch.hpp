#pragma once

#include "app/cli/client_session.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson::cli {

/// A file of an execution, as the server lists it.
struct artifact {
    std::string path;
    std::int64_t size_bytes = 0;
    std::string sha256;
    std::uint32_t mode = 0644;
};

/// All files of an execution, as JSON. Errors: those of the server.
task<result<boost::json::array>> list_artifacts(api_client* api, std::string execution_id);

/// The fields of a list item that a fetch needs.
artifact artifact_of(const boost::json::object& item);

struct fetched {
    std::size_t files = 0;
    std::int64_t bytes = 0;
};

/// Fetches all files of an execution into `folder`, which is created if there are any. Checks names and existing files before the first
/// fetch. Shows progress unless `quiet`. Errors: errc::conflict naming existing files, unless `force`; errc::bad_request for a name that
/// leaves the folder, a digest mismatch or a failed write; those of the server. Files fetched before an error stay.
task<result<fetched>> fetch_artifacts(
    client_session* session, std::string execution_id, std::filesystem::path folder, bool force, bool quiet);

/// Fetches one file to `target`, or to standard output for "-". Errors: the same.
task<result<fetched>> fetch_artifact(
    client_session* session, std::string execution_id, std::string path, std::filesystem::path target, bool force, bool quiet);

/// "3 files (1.5 MiB) in DIR", or that there are none.
std::string fetched_files(const fetched& done, const std::filesystem::path& folder);

}    // namespace caisson::cli
