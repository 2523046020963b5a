#pragma once

#include "adapters/engine/engine.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson::docker {

/// An image reference by docker's rules: "python:3.12-slim" is docker.io/library/python, tag 3.12-slim.
struct image_reference {
    std::string registry;      // "docker.io"
    std::string repository;    // "library/python"
    std::string tag;           // "latest" by default; empty with a digest only
    std::string digest;        // "sha256:…" or empty

    /// Errors: errc::bad_request with the fault.
    static result<image_reference> parse(std::string_view text);
    /// Docker's short form: "python:3.12-slim".
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
    std::string user;    // from the image's config, as are all members below
    std::vector<std::string> entrypoint;
    std::vector<std::string> environment;
    std::vector<std::string> volumes;    // paths that get an anonymous volume unless something else is mounted there
    std::map<std::string, std::string> labels;
};

struct pull_progress {
    std::string image;
    std::size_t layers = 0;    // known so far
    std::size_t layers_done = 0;
    std::int64_t bytes = 0;    // downloaded, of the layers with a known size
    std::int64_t bytes_total = 0;

    friend bool operator==(const pull_progress&, const pull_progress&) = default;
};

struct registry_credentials {
    std::string username;
    std::string password;
};

/// The images of one engine, which must outlive this. Errors: those of engine.
class images {
public:
    explicit images(engine& on) : engine_(on) { }

    /// `reference` is a name or an id. Errors: errc::not_found.
    task<result<image_info>> inspect(std::string reference, steady_time deadline);
    /// All images that have each of `labels` ("name=value"). Sets neither architecture, os nor, except labels, the config: use inspect().
    task<result<std::vector<image_info>>> list(steady_time deadline, std::vector<std::string> labels = {});
    /// `progress`, which may be empty, is called on changes, at most ten times a second and at the end. Errors: errc::timed_out without
    /// progress for `stall`; errc::bad_request for an invalid reference; errc::not_found if the registry does not have the image for the
    /// engine's architecture; errc::forbidden if the registry refuses the credentials.
    task<result<void>> pull(std::string reference, std::optional<registry_credentials> credentials,
        std::function<void(const pull_progress&)> progress, std::chrono::milliseconds stall, steady_time deadline);
    /// Creates an image from a root file system's tar. `changes` are Dockerfile lines ("ENV PATH=/usr/bin"). Errors: errc::bad_request,
    /// also for an invalid tar.
    task<result<void>> import(
        std::string reference, net::body_source& tar, std::vector<std::string> changes, net::transfer_options how = {});
    /// Loads a `docker save` tar. Returns the images' names, or ids if unnamed. Errors: errc::bad_request for an invalid tar.
    task<result<std::vector<std::string>>> load(net::body_source& tar, net::transfer_options how = {});
    /// Removes a name; removes the image itself with its last name or by id. Errors: errc::conflict if a container uses it;
    /// errc::not_found.
    task<result<void>> remove(std::string reference, steady_time deadline);

private:
    engine& engine_;
};

/// Parses GET /images/NAME/json. Throws std::exception on unexpected JSON, as does the next.
image_info image_info_from(const boost::json::value& json);
/// Parses one element of GET /images/json.
image_info image_summary_from(const boost::json::value& json);

}    // namespace caisson::docker
