#pragma once

#include "app/cli/client_session.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace caisson::cli {

/// A file of an execution, as the server tells it.
struct artifact {
    std::string path;
    std::int64_t size_bytes = 0;
    std::string sha256;
    std::uint32_t mode = 0644;
};

/// All files of an execution, as JSON. Errors: what the server says.
task<result<boost::json::array>> list_artifacts(api_client* api, std::string execution_id);

/// What of an item is needed to fetch it.
artifact artifact_of(const boost::json::object& item);

struct fetched {
    std::size_t files = 0;
    std::int64_t bytes = 0;
};

/// Puts all files of an execution below `folder`, which is made unless there are none. Names, and whether files are there already, are
/// looked at before the first is fetched; how far it is is shown unless `quiet`. Errors: errc::conflict naming what is there, unless
/// `force`; errc::bad_request for a name that leaves the folder, a content that is not what its digest says, or what cannot be written;
/// what the server says. What was fetched before stays.
task<result<fetched>> fetch_artifacts(
    client_session* session, std::string execution_id, std::filesystem::path folder, bool force, bool quiet);

/// One of them, into a file, or to standard output for "-". Errors: the same.
task<result<fetched>> fetch_artifact(
    client_session* session, std::string execution_id, std::string path, std::filesystem::path target, bool force, bool quiet);

/// "3 files (1.5 MiB) in DIR", or that there are none.
std::string fetched_files(const fetched& done, const std::filesystem::path& folder);

}    // namespace caisson::cli
