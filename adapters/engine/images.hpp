#pragma once

#include "adapters/engine/engine.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson::docker {

/// A reference as docker reads it: "python:3.12-slim" is docker.io/library/python, tag 3.12-slim.
struct image_reference {
    std::string registry;      // "docker.io"
    std::string repository;    // "library/python"
    std::string tag;           // "latest" if nothing else is said, empty with a digest alone
    std::string digest;        // "sha256:…" or empty

    /// Errors: errc::bad_request, saying what is wrong.
    static result<image_reference> parse(std::string_view text);
    /// As short as docker writes it: "python:3.12-slim".
    std::string str() const;
};

struct image_info {
    std::string id;                      // "sha256:…"
    std::vector<std::string> tags;       // "python:3.12-slim"
    std::vector<std::string> digests;    // "python@sha256:…", of registries
    std::int64_t size_bytes = 0;
    std::string architecture;
    std::string os;
    std::int64_t created_at_ms = 0;
    std::string user;    // of its config, as all below
    std::vector<std::string> entrypoint;
    std::vector<std::string> environment;
    std::vector<std::string> volumes;    // paths that get an anonymous volume in each container, unless something else is mounted there
    std::map<std::string, std::string> labels;
};

struct pull_progress {
    std::string image;
    std::size_t layers = 0;    // known of so far
    std::size_t layers_done = 0;
    std::int64_t bytes = 0;    // of all layers that told their size
    std::int64_t bytes_total = 0;

    friend bool operator==(const pull_progress&, const pull_progress&) = default;
};

struct registry_credentials {
    std::string username;
    std::string password;
};

/// Images of one engine, which outlives this. Errors: those of engine.
class images {
public:
    explicit images(engine& on) : engine_(on) { }

    /// `reference` is a name or an id. Errors: errc::not_found.
    task<result<image_info>> inspect(std::string reference, steady_time deadline);
    /// Without what only inspect() tells: architecture, os and the config but labels.
    /// With `labels` ("name=value") those alone that have each of them.
    task<result<std::vector<image_info>>> list(steady_time deadline, std::vector<std::string> labels = {});
    /// `progress` is called for each change, at most ten times a second and once more at the end; it may be empty. No layer moving for
    /// `stall` ends it with errc::timed_out. Errors: errc::bad_request for what is no reference; errc::not_found if the registry has no
    /// such image, or none of the engine's architecture; errc::forbidden if the registry wants other credentials.
    task<result<void>> pull(std::string reference, std::optional<registry_credentials> credentials,
        std::function<void(const pull_progress&)> progress, std::chrono::milliseconds stall, steady_time deadline);
    /// Makes an image of a root file system's tar. `changes` are Dockerfile lines ("ENV PATH=/usr/bin"). Errors: errc::bad_request, also
    /// for what is no tar.
    task<result<void>> import(
        std::string reference, net::body_source& tar, std::vector<std::string> changes, net::transfer_options how = {});
    /// Of `docker save`. Returns the names that it brought, the ids of those without. Errors: errc::bad_request for what is no tar.
    task<result<std::vector<std::string>>> load(net::body_source& tar, net::transfer_options how = {});
    /// The name; with the last one of an image, and by its id, the image itself. Errors: errc::conflict if a container uses it;
    /// errc::not_found.
    task<result<void>> remove(std::string reference, steady_time deadline);

private:
    engine& engine_;
};

/// Of GET /images/NAME/json. Throws std::exception on foreign JSON, as the next.
image_info image_info_from(const boost::json::value& json);
/// One of GET /images/json.
image_info image_summary_from(const boost::json::value& json);

}    // namespace caisson::docker
