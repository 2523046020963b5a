#pragma once

#include "core/base/ids.hpp"
#include "core/base/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// An image that an engine has.
struct stored_image {
    std::string id;                      // "sha256:…": what is the same has the same
    std::vector<std::string> tags;       // "python:3.12-slim"
    std::vector<std::string> digests;    // "python@sha256:…", as registries have it
    std::int64_t size_bytes = 0;
    std::int64_t created_at_ms = 0;
    std::string architecture;
    std::string os;
};

/// How far a pull is.
struct image_progress {
    std::size_t layers = 0;    // known of so far
    std::size_t layers_done = 0;
    std::int64_t bytes = 0;    // of all layers that told their size
    std::int64_t bytes_total = 0;
    bool operator==(const image_progress&) const = default;
};

/// Of one registry.
struct registry_login {
    std::string username;
    secret password;
};

/// When an image is fetched: if the engine lacks it, each time that it is needed, or never.
enum class pull_policy { missing, always, never };

/// An image that the API allowed, in addition to what the config does.
struct allowed_image {
    std::string image;                  // exact
    std::optional<tenant_id> tenant;    // nothing: for all tenants that have no list of their own in the config
    std::string tenant_name;
    std::int64_t added_at_ms = 0;
};

}    // namespace caisson
