#pragma once

#include "adapters/engine/container_types.hpp"
#include "adapters/engine/engine.hpp"
#include "core/protocol/byte_stream.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson::docker {

/// Containers of one engine, which outlives this. `id` is an id or a name. Errors: those of engine; errc::not_found where there
/// is no such container.
class containers {
public:
    explicit containers(engine& on) : engine_(on) { }

    /// Errors: errc::conflict if the name is taken; errc::not_found if the image is not there.
    task<result<created_container>> create(container_spec spec, steady_time deadline);
    /// Errors: errc::bad_request or errc::runtime_unavailable with what the OCI runtime said.
    task<result<void>> start(std::string id, steady_time deadline);
    /// SIGKILL, or what `signal` names; a container that does not run is no error.
    task<result<void>> kill(std::string id, std::string signal, steady_time deadline);
    /// Errors: errc::conflict if it is paused already or does not run.
    task<result<void>> pause(std::string id, steady_time deadline);
    /// Errors: errc::conflict if it is not paused.
    task<result<void>> unpause(std::string id, steady_time deadline);
    task<result<container_info>> inspect(std::string id, steady_time deadline);
    /// All of them, those that do not run too, with each of `labels` ("name=value").
    task<result<std::vector<container_summary>>> list(std::vector<std::string> labels, steady_time deadline);
    /// Ends it if it runs and removes it with its anonymous volumes; returns when it is gone, also if somebody else removes it. One that is
    /// not there is no error.
    task<result<void>> remove(std::string id, steady_time deadline);
    /// Returns when it has ended, with its exit status; at once if it does not run. Has no deadline: cancel it.
    task<result<std::int64_t>> wait(std::string id);
    /// The same until a deadline, without its exit status.
    task<result<void>> wait_for_end(std::string id, steady_time deadline);
    /// One reading.
    task<result<container_stats>> stats(std::string id, steady_time deadline);
    /// Unpacks a tar below `path` of the container.
    task<result<void>> put_archive(std::string id, std::string path, std::string tar, steady_time deadline);
    task<result<void>> put_archive(std::string id, std::string path, net::body_source* tar, steady_time deadline);
    /// What is at `path`, as a tar, at most `most` bytes. Errors: errc::too_large.
    task<result<std::string>> get_archive(std::string id, std::string path, std::size_t most, steady_time deadline);

    /// Its stdin and stdout as one stream of bytes, from now on; its stderr is dropped. Whoever attaches anew gets what comes then.
    task<result<std::unique_ptr<protocol::byte_stream>>> attach(std::string id, steady_time deadline);

private:
    engine& engine_;
};

/// The body of POST /containers/create.
boost::json::object to_json(const container_spec& spec);
/// Of GET /containers/ID/json. Throws std::exception on foreign JSON.
container_info container_info_from(const boost::json::value& json);
/// One of GET /containers/json.
container_summary container_summary_from(const boost::json::value& json);
/// Of GET /containers/ID/stats, by cgroup v1 or v2. Of a container that does not run nothing is set.
container_stats container_stats_from(const boost::json::value& json);

}    // namespace caisson::docker
