#include "storage/check/inspection.hpp"

#include "storage/check/agreement.hpp"
#include "storage/check/chunk_check.hpp"
#include "storage/check/state_check.hpp"
#include "storage/sqlite/directory_lock.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/file_check.hpp"
#include "storage/sqlite/schemas.hpp"

#include <algorithm>
#include <optional>

namespace caisson {

namespace {

using sqlite::connection;
using sqlite::open_mode;
using sqlite::schema;

constexpr const char* restore_it = "stop the server, keep the directory, and put a backup in its place with `caisson restore`";
constexpr int most_lines = 20;

class inspector {
public:
    inspector(const std::filesystem::path& dir, const inspection_progress& progress, hasher_factory deep)
        : dir_(dir), progress_(progress), deep_(deep)
    {
        const auto lock = dir_ / "server.lock";
        report_.server_is_running = std::filesystem::exists(lock) && sqlite::directory_lock::is_held(lock);
    }

    inspection_report run()
    {
        const bool records_fit = look_at_file("records.db", sqlite::records_schema);
        const bool events_fit = look_at_file("events.db", sqlite::events_schema);
        const bool content_fits = has_contents() && look_at_file("content.db", sqlite::content_schema);
        if (records_fit && events_fit && content_fits)
            compare_files();
        if (content_fits)
            look_at_places();
        if (content_fits && deep_ != nullptr)
            look_at_chunks();
        if (records_fit && deep_ != nullptr)
            look_at_states();
        return std::move(report_);
    }

private:
    void add(finding_weight weight, const std::string& file, std::string what, std::string remedy)
    {
        report_.findings.push_back({weight, file, std::move(what), std::move(remedy)});
    }

    open_mode mode_of(const std::string& name) const
    {
        std::error_code absent;
        const auto log_bytes = std::filesystem::file_size(dir_ / (name + "-wal"), absent);
        const bool has_log = !absent && log_bytes > 0;
        return report_.server_is_running || has_log ? open_mode::read_only : open_mode::frozen;
    }

    /// The data of an earlier version has no such file.
    bool has_contents() const
    {
        return std::filesystem::exists(dir_ / "content.db") || !std::filesystem::exists(dir_ / "records.db") ||
               sqlite::stored_version(dir_ / "records.db") >= sqlite::first_records_with_contents;
    }

    /// True if the file can be compared with the others.
    bool look_at_file(const std::string& name, const schema& wanted)
    {
        try {
            return look_inside(name, wanted);
        } catch (const storage_error& failure) {
            const bool damaged = failure.fault() == storage_fault::corrupt;
            const auto* const remedy = damaged ? restore_it : "";
            add(finding_weight::damage, name, failure.what(), remedy);
            return false;
        }
    }

    bool look_inside(const std::string& name, const schema& wanted)
    {
        const auto file = dir_ / name;
        if (!std::filesystem::exists(file)) {
            add(finding_weight::damage, name, "it is not there", restore_it);
            return false;
        }
        progress_(name + ": " + std::to_string(std::filesystem::file_size(file) >> 20) + " MiB");
        if (!report_.server_is_running)
            sqlite::check_unopened(file, wanted);
        connection db(file, mode_of(name));
        const auto has = sqlite::check_schema(db, wanted);
        if (has < wanted.migrations.size())
            add(finding_weight::note, name, "its schema is " + std::to_string(has) + " of " + std::to_string(wanted.migrations.size()),
                "the next start of the server brings it up to date");
        return add_lines(db, name, "PRAGMA integrity_check(20)", "ok", "") &&
               add_lines(db, name, "PRAGMA foreign_key_check", "", "a row refers to nothing, in table ") && has == wanted.migrations.size();
    }

    /// Each row of `sql` but `good` is damage; false if there are any.
    bool add_lines(connection& db, const std::string& name, std::string_view sql, std::string_view good, const std::string& before)
    {
        int lines = 0;
        auto query = db.prepare(sql);
        for (; query.step() && lines < most_lines; ++lines) {
            if (query.view(0) == good)
                return true;
            add(finding_weight::damage, name, before + std::string(query.view(0)), restore_it);
        }
        return lines == 0;
    }

    void compare_files()
    {
        progress_("records against logs and contents");
        try {
            const sqlite::file_modes modes{mode_of("records.db"), mode_of("events.db"), mode_of("content.db")};
            for (auto& each : sqlite::disagreements(dir_, modes, report_.server_is_running))
                report_.findings.push_back(std::move(each));
        } catch (const storage_error& failure) {
            add(finding_weight::damage, "records.db", failure.what(), restore_it);
        }
    }

    void look_at_places()
    {
        try {
            connection db(dir_ / "content.db", mode_of("content.db"));
            sqlite::check_places(db);
        } catch (const storage_error& failure) {
            add(finding_weight::damage, "content.db-chunks", failure.what(), restore_it);
        }
    }

    void look_at_chunks()
    {
        progress_("the bytes of contents");
        try {
            const sqlite::chunk_reader files(dir_ / "content.db");
            files.hold();
            connection db(dir_ / "content.db", mode_of("content.db"));
            const auto told = [this](std::uint64_t bytes) { progress_("contents: " + std::to_string(bytes >> 20) + " MiB are done"); };
            for (auto& each : sqlite::wrong_chunks(db, files, deep_, most_lines, told))
                add(finding_weight::damage, "content.db", std::move(each), restore_it);
        } catch (const storage_error& failure) {
            add(finding_weight::damage, "content.db", failure.what(), restore_it);
        }
    }

    void look_at_states()
    {
        progress_("the states of threads");
        try {
            connection db(dir_ / "records.db", mode_of("records.db"));
            const auto told = [this](std::uint64_t bytes) { progress_("states: " + std::to_string(bytes >> 20) + " MiB are done"); };
            for (auto& each : sqlite::wrong_states(db, deep_, most_lines, told))
                add(finding_weight::damage, "records.db", std::move(each), restore_it);
        } catch (const storage_error& failure) {
            add(finding_weight::damage, "records.db", failure.what(), restore_it);
        }
    }

    std::filesystem::path dir_;
    const inspection_progress& progress_;
    hasher_factory deep_;    // null: the bytes of contents and states are not looked at
    inspection_report report_;
};

}    // namespace

bool inspection_report::is_clean() const
{
    return std::ranges::all_of(findings, [](const auto& each) { return each.weight == finding_weight::note; });
}

inspection_report inspect(const std::filesystem::path& data_dir, const inspection_progress& progress, hasher_factory deep)
{
    std::error_code failure;
    if (!std::filesystem::is_directory(data_dir, failure))
        throw storage_error(storage_fault::broken, "there is no data directory " + data_dir.string() + "; say where it is with --data");
    return inspector(data_dir, progress, deep).run();
}

}    // namespace caisson
