#pragma once

#include "adapters/engine/container_types.hpp"
#include "adapters/engine/engine.hpp"
#include "core/protocol/byte_stream.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson::docker {

/// The containers of one engine, which must outlive this. `id` is an id or a name. Errors: those of engine; errc::not_found if
/// there is no such container.
class containers {
public:
    explicit containers(engine& on) : engine_(on) { }

    /// Errors: errc::conflict if the name is taken; errc::not_found if the image is missing.
    task<result<created_container>> create(container_spec spec, steady_time deadline);
    /// Errors: errc::bad_request or errc::runtime_unavailable with the OCI runtime's message.
    task<result<void>> start(std::string id, steady_time deadline);
    /// Sends `signal`; empty: SIGKILL. Succeeds if the container is not running.
    task<result<void>> kill(std::string id, std::string signal, steady_time deadline);
    /// Errors: errc::conflict if it is already paused or not running.
    task<result<void>> pause(std::string id, steady_time deadline);
    /// Errors: errc::conflict if it is not paused.
    task<result<void>> unpause(std::string id, steady_time deadline);
    task<result<container_info>> inspect(std::string id, steady_time deadline);
    /// All containers, running or not, that have each of `labels` ("name=value").
    task<result<std::vector<container_summary>>> list(std::vector<std::string> labels, steady_time deadline);
    /// Kills the container if it runs and removes it with its anonymous volumes. Returns when it is gone, also if another client removes
    /// it. Succeeds if it does not exist.
    task<result<void>> remove(std::string id, steady_time deadline);
    /// Waits for the end and returns the exit status; returns at once if it is not running. Has no deadline: cancel it.
    task<result<std::int64_t>> wait(std::string id);
    /// Like wait(), with a deadline and without the exit status.
    task<result<void>> wait_for_end(std::string id, steady_time deadline);
    /// One reading.
    task<result<container_stats>> stats(std::string id, steady_time deadline);
    /// Unpacks a tar below `path` of the container.
    task<result<void>> put_archive(std::string id, std::string path, std::string tar, steady_time deadline);
    task<result<void>> put_archive(std::string id, std::string path, net::body_source* tar, steady_time deadline);
    /// The content of `path` as a tar of at most `most` bytes. Errors: errc::too_large.
    task<result<std::string>> get_archive(std::string id, std::string path, std::size_t most, steady_time deadline);

    /// The container's stdin and stdout as one byte stream; stderr is dropped. The stream has only output from after the attach.
    task<result<std::unique_ptr<protocol::byte_stream>>> attach(std::string id, steady_time deadline);

private:
    engine& engine_;
};

/// The body of POST /containers/create.
boost::json::object to_json(const container_spec& spec);
/// Parses GET /containers/ID/json. Throws std::exception on unexpected JSON, as do the next two.
container_info container_info_from(const boost::json::value& json);
/// Parses one element of GET /containers/json.
container_summary container_summary_from(const boost::json::value& json);
/// Parses GET /containers/ID/stats, cgroup v1 or v2. Sets nothing if the container is not running.
container_stats container_stats_from(const boost::json::value& json);

}    // namespace caisson::docker
