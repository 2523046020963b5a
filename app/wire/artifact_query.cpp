#include "app/wire/artifact_query.hpp"

#include "app/wire/query_reader.hpp"
#include "core/base/base64.hpp"
#include "core/files/signed_url.hpp"

namespace caisson::wire {

namespace {

constexpr std::size_t longest_path_cursor = 6'000;
constexpr std::string_view path_cursor_version = "1.";

std::optional<std::string> parse_cursor(std::string_view cursor)
{
    auto text = cursor.size() > longest_path_cursor ? std::nullopt : base64url_decode(cursor);
    if (!text || !text->starts_with(path_cursor_version) || text->find('\0') != std::string::npos)
        return std::nullopt;
    return text->substr(path_cursor_version.size());
}

std::optional<files_format> parse_files_format(std::string_view text)
{
    return text == "tar.gz" ? std::optional(files_format::tar_gz) : text == "zip" ? std::optional(files_format::zip) : std::nullopt;
}

void take_grant(query_reader& reader)
{
    for (const auto name : grant_parameters())
        reader.take(name);
}

}    // namespace

result<artifacts_query> parse_artifacts_query(const query_parameters& query)
{
    query_reader reader(query);
    artifacts_query out;
    out.after = reader.parsed("cursor", &parse_cursor, "is not a cursor of a list of artifacts").value_or("");
    out.limit = static_cast<std::size_t>(reader.integer("limit", 1, max_page).value_or(50));
    return reader.finish(std::move(out));
}

result<void> parse_artifact_query(const query_parameters& query)
{
    query_reader reader(query);
    take_grant(reader);
    const auto checked = reader.finish(true);
    return checked.has_error() ? result<void>(checked.error()) : result<void>();
}

result<files_format> parse_files_query(const query_parameters& query)
{
    query_reader reader(query);
    take_grant(reader);
    const auto format = reader.parsed("format", &parse_files_format, R"(must be "tar.gz" or "zip")");
    return reader.finish(format.value_or(files_format::by_accept));
}

std::string artifact_cursor(std::string_view path) { return base64url_encode(std::string(path_cursor_version) + std::string(path)); }

}    // namespace caisson::wire
