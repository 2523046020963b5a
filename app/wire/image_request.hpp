#pragma once

#include "app/wire/query.hpp"
#include "core/base/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

struct pull_request {
    std::string image;
    bool wait = true;
};
/// Parses the body of POST /v1/images/pull. Errors as parse_execution_request().
result<pull_request> parse_pull_request(std::string_view body);

struct load_query {
    std::string image;                   // name for a root file system; empty: the body is a docker save archive
    std::vector<std::string> changes;    // Dockerfile lines for a root file system
};
/// Errors: errc::bad_request with every mistake.
result<load_query> parse_load_query(const query_parameters& query);

/// The optional parameter `tenant` of a query. Errors: errc::bad_request.
result<std::optional<std::string>> parse_tenant_query(const query_parameters& query);

/// Checks an image name in a URL path. Errors: errc::bad_request.
result<std::string> parse_image_name(std::string_view text);

}    // namespace caisson::wire
