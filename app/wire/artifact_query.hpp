#pragma once

#include "app/wire/query.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

struct artifacts_query {
    std::string after;    // last path of the previous page; empty: start
    std::size_t limit = 50;
};
enum class files_format { by_accept, tar_gz, zip };

/// Errors of all: errc::bad_request naming each parameter that is unknown, repeated or invalid. Parameters of signed URLs are accepted
/// where those are valid.
result<artifacts_query> parse_artifacts_query(const query_parameters& query);
result<void> parse_artifact_query(const query_parameters& query);
result<files_format> parse_files_query(const query_parameters& query);

/// The opaque cursor after the artifact `path`.
std::string artifact_cursor(std::string_view path);

}    // namespace caisson::wire
