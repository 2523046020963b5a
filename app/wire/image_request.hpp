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
/// The body of POST /v1/images/pull. Errors: as parse_execution_request().
result<pull_request> parse_pull_request(std::string_view body);

struct load_query {
    std::string image;                   // what the root file system is to be called; empty: an archive of docker save
    std::vector<std::string> changes;    // of a root file system
};
/// Errors: errc::bad_request with every mistake.
result<load_query> parse_load_query(const query_parameters& query);

/// `tenant` of a query, if it is there. Errors: errc::bad_request.
result<std::optional<std::string>> parse_tenant_query(const query_parameters& query);

/// A name of an image in a path. Errors: errc::bad_request.
result<std::string> parse_image_name(std::string_view text);

}    // namespace caisson::wire
