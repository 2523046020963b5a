#include "app/backup/manifest.hpp"

#include "core/base/clock.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

namespace caisson::backup {

namespace {

namespace json = boost::json;

constexpr std::string_view format_name = "caisson backup";
/// Format 1 has no content.db. It is still written for data without contents.
constexpr std::int64_t format_without_contents = 1;
constexpr std::int64_t format_version = 2;
constexpr std::uintmax_t most_bytes = 64 << 20;    // includes the ids of executions without an end

file_entry file_from(const json::value& from)
{
    file_entry entry;
    entry.name = from.at("name").as_string();
    entry.bytes = from.at("bytes").to_number<std::uint64_t>();
    entry.sha256 = from.at("sha256").as_string();
    entry.schema = from.at("schema").to_number<std::size_t>();
    return entry;
}

constexpr std::string_view databases[] = {"records.db", "events.db", "content.db"};

bool names_its_databases(const manifest& what, std::int64_t format)
{
    const std::size_t count = format == format_without_contents ? 2 : 3;
    return std::ranges::equal(what.files, std::span(databases).first(count), {}, &file_entry::name);
}

/// Throws std::exception on malformed text.
result<manifest> manifest_from(const std::filesystem::path& file, const std::string& text)
{
    const auto value = json::parse(text);
    if (value.at("format").as_string() != format_name)
        return error{errc::bad_request, file.string() + " is not that of a backup of Caisson"};
    const auto version = value.at("version").to_number<std::int64_t>();
    if (version != format_version && version != format_without_contents)
        return error{errc::bad_request, file.string() + " is of backup format " + std::to_string(version) +
                                            ", this version of Caisson reads formats up to " + std::to_string(format_version) +
                                            ": use the version that made it"};
    manifest found;
    found.caisson_version = value.at("caisson").as_string();
    found.instance = value.at("instance").as_string();
    found.created_at_ms = value.at("created_at_ms").to_number<std::int64_t>();
    for (const auto& each : value.at("files").as_array())
        found.files.push_back(file_from(each));
    for (const auto& each : value.at("without_end").as_array())
        found.without_end.emplace_back(each.as_string());
    if (!names_its_databases(found, version))
        return error{errc::bad_request, file.string() + " does not name records.db, events.db and content.db"};
    return found;
}

}    // namespace

std::string to_json(const manifest& what)
{
    const auto version = what.files.size() == 2 ? format_without_contents : format_version;
    json::object object{{"format", format_name}, {"version", version}, {"caisson", what.caisson_version}, {"instance", what.instance},
        {"created_at", to_rfc3339(what.created_at_ms)}, {"created_at_ms", what.created_at_ms}};
    json::array files;
    for (const auto& each : what.files)
        files.push_back({{"name", each.name}, {"bytes", each.bytes}, {"sha256", each.sha256}, {"schema", each.schema}});
    object["files"] = std::move(files);
    json::array ids;
    for (const auto& each : what.without_end)
        ids.emplace_back(each);
    object["without_end"] = std::move(ids);
    return json::serialize(object) + "\n";
}

result<manifest> read_manifest(const std::filesystem::path& backup)
{
    const auto file = backup / manifest_name;
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(file, absent);
    if (absent)
        return error{errc::not_found, backup.string() + " is not a backup: it has no " + std::string(manifest_name)};
    std::ifstream in(file, std::ios::binary);
    if (!in || bytes > most_bytes)
        return error{errc::bad_request, file.string() + " cannot be read"};
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    try {
        return manifest_from(file, text);
    } catch (const std::exception&) {
        return error{errc::bad_request, file.string() + " cannot be understood: the backup is damaged, use another one"};
    }
}

}    // namespace caisson::backup
