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
    std::string id;                      // "sha256:…"; equal images have equal ids
    std::vector<std::string> tags;       // "python:3.12-slim"
    std::vector<std::string> digests;    // "python@sha256:…", as in registries
    std::int64_t size_bytes = 0;
    std::int64_t created_at_ms = 0;
    std::string architecture;
    std::string os;
};

/// The progress of a pull.
struct image_progress {
    std::size_t layers = 0;    // known so far
    std::size_t layers_done = 0;
    std::int64_t bytes = 0;    // of all layers with a known size; likewise `bytes_total`
    std::int64_t bytes_total = 0;
    bool operator==(const image_progress&) const = default;
};

/// The login for one registry.
struct registry_login {
    std::string username;
    secret password;
};

/// When an image is fetched: if the engine lacks it, each time it is needed, or never.
enum class pull_policy { missing, always, never };

/// An image that the API allowed, in addition to the config's.
struct allowed_image {
    std::string image;                  // exact
    std::optional<tenant_id> tenant;    // nothing: all tenants without a list of their own in the config
    std::string tenant_name;
    std::int64_t added_at_ms = 0;
};

}    // namespace caisson
