#include "adapters/crypto/digest.hpp"
#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/sqlite/connection.hpp"
#include "tests/storage/disk_image.hpp"
#include "tests/storage/storage_load.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace caisson::testing {

namespace {

constexpr std::int64_t log_bytes = 64 << 10;
constexpr storage_options tool{.access = storage_access::tool, .readers = 1};

/// When a call was begun and when it returned, as positions in the trace.
struct call_marks {
    database_file file;
    std::size_t begun;
    std::size_t returned;
};

/// A load that was run once: what it did to the disk, and what the databases held after each call.
struct recording {
    std::vector<disk_operation> trace;
    std::vector<call_marks> calls;
    std::map<database_file, std::vector<std::string>> contents;    // the first one is that of an empty database
};

class recorder {
public:
    recording run()
    {
        for (const auto file : all_databases) {
            open();
            found_.contents[file].push_back(content_of(dir_.path(), file));
        }
        const auto calls = representative_calls();
        for (std::size_t at = 0; at < calls.size();)
            at = run_group(calls, at);
        store_.reset();
        found_.trace = vfs_.take_trace();
        return std::move(found_);
    }

private:
    void open()
    {
        if (!store_)
            store_ = storage::open(dir_.path(), {.readers = 1,
                                                    .reserve_bytes = 0,
                                                    .make_hasher = &make_sha256_hasher,
                                                    .log_bytes = log_bytes,    // so that some go into the databases meanwhile
                                                    .burst_log_bytes = 300 << 10,
                                                    .ahead_log_bytes = 0});    // begin_logs_anew() does that, at known moments
    }

    std::size_t run_group(const std::vector<store_call>& calls, std::size_t at)
    {
        if (at % 11 == 10)    // closed and opened again: the logs (-wal) go into the databases and begin anew
            store_.reset();
        open();
        if (at % 7 == 6)
            begin_logs_anew();
        std::size_t end = at + 1;
        while (end < calls.size() && calls[at].group != 0 && calls[end].group == calls[at].group)
            ++end;
        for (auto i = at; i < end; ++i)
            begin(calls[i]);
        while (returned_ < found_.calls.size() && context_.run_one() > 0) { }
        note_contents(calls, at, end);
        return end;
    }

    void begin(const store_call& call)
    {
        const auto number = found_.calls.size();
        found_.calls.push_back({call.file, vfs_.mark(), 0});
        asio::co_spawn(context_, call.run(*store_), [this, number, name = call.name](std::exception_ptr failure, const result<void>& got) {
            EXPECT_FALSE(failure) << name;
            EXPECT_TRUE(failure || got.has_value()) << name;
            found_.calls[number].returned = vfs_.mark();
            ++returned_;
        });
        context_.restart();
        context_.poll();    // as far as the queue
    }

    /// Calls of a group follow each other in the file; what lies between is asked of a second directory that runs them one by one.
    void note_contents(const std::vector<store_call>& calls, std::size_t at, std::size_t end)
    {
        for (auto i = at; i < end; ++i) {
            const auto got = run_task(context_, calls[i].run(*slow_));
            EXPECT_TRUE(got.has_value()) << calls[i].name;
            found_.contents[calls[i].file].push_back(content_of(slow_dir_.path(), calls[i].file));
        }
        EXPECT_EQ(content_of(dir_.path(), calls[at].file), found_.contents[calls[at].file].back()) << calls[at].name;
    }

    void begin_logs_anew()
    {
        for (const auto* name : {"records.db", "events.db", "content.db"}) {
            sqlite::connection db(dir_.path() / name, sqlite::open_mode::read_write);
            db.execute("PRAGMA wal_checkpoint(RESTART)");
            db.execute("PRAGMA user_version = " + std::to_string(db.integer("PRAGMA user_version")));    // a commit
            db.extend_log(log_bytes + (40 << 10), 24 << 10);
        }
    }

    fast_dir dir_, slow_dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    std::unique_ptr<storage> slow_ = storage::open(slow_dir_.path(),
        {.readers = 1, .reserve_bytes = 0, .make_hasher = &make_sha256_hasher});    // not through the recording file system
    fault_vfs vfs_;
    std::unique_ptr<storage> store_;
    recording found_;
    std::size_t returned_ = 0;
};

/// Reopens what a cut left after `done` operations and compares it with what was promised by then. What is in a database follows from its
/// own files alone: files that were looked at before are not read again, and a whole disk that was opened before is not opened again.
class judge {
public:
    explicit judge(const recording& from) : from_(from) { }

    void look(const disk_files& disk, std::size_t done, cut_kind how)
    {
        ++looks;
        SCOPED_TRACE("cut after operation " + std::to_string(done) + " of " + std::to_string(from_.trace.size()) + ", kind " +
                     std::to_string(static_cast<int>(how)));
        try {
            const auto images = images_of(disk);
            if (opened_.insert(images).second)
                open(disk, images);
            for (const auto file : all_databases)
                compare(file, done, held_.at(images.at(file)));
        } catch (const storage_error& e) {
            ADD_FAILURE() << e.what();
        }
    }
    std::size_t looks = 0;
    std::size_t openings = 0;

private:
    /// What tells the files of one database, its logs among them, from all others.
    using disk_images = std::map<database_file, std::string>;

    static disk_images images_of(const disk_files& disk)
    {
        disk_images images;
        for (const auto file : all_databases) {
            std::string all = name_of(file);
            for (const auto& [name, bytes] : disk)
                if (name.starts_with(name_of(file)))
                    all += name + " " + sha256_hex(bytes);
            images[file] = sha256_hex(all);
        }
        return images;
    }

    void open(const disk_files& disk, const disk_images& images)
    {
        ++openings;
        dir_.empty();
        for (const auto& [name, bytes] : disk)
            write_file(dir_.path() / name, bytes);
        storage::open(dir_.path(), tool);
        for (const auto& [file, image] : images) {
            if (held_.contains(image))
                continue;
            EXPECT_EQ(integrity_of(dir_.path(), file), "");
            held_[image] = content_of(dir_.path(), file);
        }
    }

    /// Neither less than what had returned nor more than what had begun, and nothing between two calls.
    void compare(database_file file, std::size_t done, const std::string& now) const
    {
        std::size_t returned = 0;
        std::size_t begun = 0;
        for (const auto& each : from_.calls) {
            if (each.file != file)
                continue;
            returned += each.returned <= done ? 1 : 0;
            begun += each.begun <= done ? 1 : 0;
        }
        const auto& contents = from_.contents.at(file);
        for (auto i = returned; i <= begun; ++i)
            if (contents[i] == now)
                return;
        ADD_FAILURE() << "file " << static_cast<int>(file) << " holds another state than after " << returned << " to " << begun
                      << " calls: " << now << "\nafter the last that returned: " << contents[returned];
    }

    const recording& from_;
    fast_dir dir_;
    std::set<disk_images> opened_;
    std::map<std::string, std::string> held_;    // by image
};

TEST(PowerCut, BetweenAnyTwoWritesLosesNothingThatReturnedAndLeavesNothingHalf)
{
    const auto recorded = recorder().run();
    ASSERT_GT(recorded.trace.size(), 300u);
    judge all(recorded);
    disk_image disk;
    std::mt19937_64 random(1);    // any seed must do
    for (std::size_t done = 1; done <= recorded.trace.size() && !::testing::Test::HasFailure(); ++done) {
        disk.apply(recorded.trace[done - 1]);
        const bool at_sync = recorded.trace[done - 1].what == disk_operation::kind::sync;
        for (const auto how : {cut_kind::dropped, done % 3 == 0 ? cut_kind::kept : cut_kind::torn}) {
            if (how == cut_kind::dropped ? !at_sync : !disk.has_pending())
                continue;    // the same disk as before
            all.look(disk.after_cut(how, random), done, how);
        }
    }
    RecordProperty("operations", static_cast<int>(recorded.trace.size()));
    RecordProperty("cuts", static_cast<int>(all.looks));
    std::printf("%zu operations, %zu cuts, %zu different disks\n", recorded.trace.size(), all.looks, all.openings);
}

}    // namespace

}    // namespace caisson::testing
