#include "app/backup/backup.hpp"

#include "app/version.hpp"
#include "core/base/clock.hpp"
#include "storage/check/snapshot.hpp"

#include <boost/json/parse.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace caisson::backup {

namespace {

/// The server's instance id; empty if it never ran.
std::string instance_of(const std::filesystem::path& data_dir)
{
    std::ifstream file(data_dir / "instance.json");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    try {
        return std::string(boost::json::parse(text).at("id").as_string());
    } catch (const std::exception&) {    // informational only
        return "";
    }
}

result<work_directory::placement> placement_of(const backup_options& options)
{
    std::error_code absent;
    if (!std::filesystem::exists(std::filesystem::symlink_status(options.target, absent)))
        return work_directory::placement::fresh;
    const auto present = read_manifest(options.target);
    const bool is_backup = present.has_value() || present.error().code != errc::not_found;
    if (!options.replace)
        return error{errc::conflict,
            options.target.string() + " exists; give another name" + (is_backup ? ", or --force to replace that backup" : "")};
    if (!is_backup)
        return error{errc::conflict, options.target.string() + " exists and is not a backup; it is not replaced"};
    return work_directory::placement::replace;
}

std::uint64_t bytes_to_copy(const std::filesystem::path& data_dir)
{
    std::uint64_t sum = 0;
    for (const auto* name : {"records.db", "events.db", "content.db", "content.db-chunks"}) {
        struct stat found{};
        if (::stat((data_dir / name).c_str(), &found) == 0)    // content.db-chunks may be sparse
            sum += static_cast<std::uint64_t>(std::min<std::int64_t>(found.st_size, 512 * found.st_blocks));
    }
    return sum;
}

void add_file(manifest& to, const std::filesystem::path& file, std::size_t schema, const progress& told)
{
    to.files.push_back(measure_file(file, told));
    to.files.back().schema = schema;
}

}    // namespace

result<backup_summary> make_backup(const backup_options& options, const progress& told)
{
    const auto placement = placement_of(options);
    if (placement.has_error())
        return placement.error();
    work_directory work(options.target, ".partial");
    require_space(work.path(), bytes_to_copy(options.data_dir));
    backup_summary summary;
    const auto taken = take_snapshot(options.data_dir, work.path(), told);
    summary.being_removed = taken.being_removed;
    auto& made = summary.made;
    made.caisson_version = version_text;
    made.instance = instance_of(options.data_dir);
    made.created_at_ms = system_clock().now_ms();
    made.without_end = taken.without_end;
    add_file(made, work.path() / "records.db", taken.records_schema, told);
    add_file(made, work.path() / "events.db", taken.events_schema, told);
    if (taken.content_schema != 0)
        add_file(made, work.path() / "content.db", taken.content_schema, told);
    write_text(work.path() / manifest_name, to_json(made));
    work.put_in_place(*placement);
    return summary;
}

}    // namespace caisson::backup
