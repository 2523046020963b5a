#pragma once

#include "app/wire/query.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

struct artifacts_query {
    std::string after;    // the last path of the page before; empty: from the first on
    std::size_t limit = 50;
};
enum class files_format { by_accept, tar_gz, zip };

/// Errors of all: errc::bad_request naming each parameter that is unknown, given twice or wrong. Those of a signed address are taken
/// where it may be used.
result<artifacts_query> parse_artifacts_query(const query_parameters& query);
result<void> parse_artifact_query(const query_parameters& query);
result<files_format> parse_files_query(const query_parameters& query);

/// The opaque cursor behind the artifact `path`.
std::string artifact_cursor(std::string_view path);

}    // namespace caisson::wire
