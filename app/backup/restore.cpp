#include "app/backup/restore.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "app/backup/restored_records.hpp"
#include "storage/check/inspection.hpp"
#include "storage/check/lost_contents.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/storage.hpp"

#include <algorithm>

namespace caisson::backup {

namespace {

result<void> check_target(const std::filesystem::path& data_dir)
{
    std::error_code failure;
    const auto status = std::filesystem::symlink_status(data_dir, failure);
    if (!std::filesystem::exists(status))
        return {};
    if (!std::filesystem::is_directory(status))
        return error{errc::conflict, data_dir.string() + " is not a directory"};
    if (!std::filesystem::is_empty(data_dir))
        return error{errc::conflict, data_dir.string() + " is not empty; give a directory that is, or that does not exist yet"};
    return {};
}

error differs(const std::filesystem::path& file, const std::string& how)
{
    return {errc::bad_request, file.string() + " " + how + ": the backup is damaged, use another one"};
}

result<void> check_versions(const manifest& from)
{
    const std::size_t known[] = {sqlite::records_schema.migrations.size(), sqlite::events_schema.migrations.size(),
        sqlite::content_schema.migrations.size()};    // in the order of manifest::files
    for (std::size_t i = 0; i < from.files.size(); ++i)
        if (from.files[i].schema > known[i])
            return error{errc::bad_request, "the backup was made by a newer Caisson (" + from.caisson_version + "; " + from.files[i].name +
                                                " has schema " + std::to_string(from.files[i].schema) + ", this one knows up to " +
                                                std::to_string(known[i]) + "): use that version"};
    return {};
}

/// Copies the databases and compares them with the manifest.
result<void> copy_checked(const restore_options& options, const manifest& from, const std::filesystem::path& into, const progress& told)
{
    for (const auto& wanted : from.files) {
        const auto file = options.source / wanted.name;
        std::error_code absent;
        const auto bytes = std::filesystem::file_size(file, absent);
        if (absent)
            return differs(file, "is not there");
        if (bytes != wanted.bytes)
            return differs(file, "has " + std::to_string(bytes) + " bytes instead of " + std::to_string(wanted.bytes));
        if (copy_file(file, into / wanted.name, told).sha256 != wanted.sha256)
            return differs(file, "is not the file that was written (its SHA-256 is another one)");
    }
    return {};
}

result<void> check_integrity(const restore_options& options, const std::filesystem::path& copied)
{
    const auto report = inspect(copied, [](const std::string&) { }, &make_sha256_hasher);
    for (const auto& each : report.findings)
        if (each.weight == finding_weight::damage)
            return differs(options.source / each.file, "is damaged (" + each.what + ")");
    return {};
}

/// Removes the lock files of an open data directory.
void remove_traces_of_opening(const std::filesystem::path& directory)
{
    for (const auto* name : {"open.lock", "server.lock"})
        std::filesystem::remove(directory / name);
}

std::uint64_t bytes_of(const manifest& from)
{
    std::uint64_t sum = 0;
    for (const auto& each : from.files)
        sum += each.bytes;
    return sum;
}

}    // namespace

result<restore_summary> restore(const restore_options& options, const progress& told)
{
    auto from = read_manifest(options.source);
    if (from.has_error())
        return from.error();
    for (const auto& checked : {check_target(options.data_dir), check_versions(*from)})
        if (checked.has_error())
            return checked.error();
    work_directory work(options.data_dir, ".restoring");
    require_space(work.path(), bytes_of(*from));
    if (auto copied = copy_checked(options, *from, work.path(), told); copied.has_error())
        return copied.error();
    if (auto whole = check_integrity(options, work.path()); whole.has_error())
        return whole.error();
    auto ended = end_what_ran(work.path(), options.waiting);
    if (ended.has_error())
        return ended.error();
    drop_lost_contents(work.path());
    remove_traces_of_opening(work.path());
    work.put_in_place(work_directory::placement::fresh);
    return restore_summary{std::move(*from), ended->interrupted, ended->waiting};
}

}    // namespace caisson::backup
