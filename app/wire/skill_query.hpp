#pragma once

#include "app/wire/query.hpp"
#include "core/skills/types.hpp"

#include <optional>
#include <string>

namespace caisson::wire {

/// Limit on the rows of a response, and the default.
inline constexpr std::size_t max_skill_rows = 1'000;

/// `q`, `name`, `limit` and `cursor` of GET /v1/skills. Errors: errc::bad_request naming each wrong parameter.
result<skill_filter> parse_skill_list_query(const query_parameters& query);

struct revisions_query {
    std::optional<skill_revision_place> after;
    std::size_t limit = max_skill_rows;
};
/// `limit` and `cursor` of GET /v1/skills/{name}/versions. Errors as above.
result<revisions_query> parse_revisions_query(const query_parameters& query);

/// The opaque cursors of the two lists, after `last`.
std::string skill_list_cursor(const skill_version_row& last);
std::string revisions_cursor(const skill_revision& last);

}    // namespace caisson::wire
