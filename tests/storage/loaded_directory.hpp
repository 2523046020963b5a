#pragma once

#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/storage.hpp"
#include "tests/storage/storage_load.hpp"

#include <gtest/gtest.h>

#include <map>

namespace caisson::testing {

using files = std::map<std::string, std::string>;

/// What lies in a directory, but for the two locks, which every opening makes, and SQLite's shared memory.
inline files contents_of(const std::filesystem::path& dir)
{
    files all;
    for (const auto& each : std::filesystem::directory_iterator(dir)) {
        const auto name = each.path().filename().string();
        if (!name.ends_with(".lock") && !name.ends_with("-shm"))
            all[name] = read_file(each.path());
    }
    return all;
}

/// A data directory with the calls of a server in it.
class LoadedDirectory {
public:
    LoadedDirectory()
    {
        auto store = storage::open(dir_.path(), {.readers = 1, .reserve_bytes = 0, .make_hasher = &make_sha256_hasher});
        for (const auto& call : representative_calls())
            EXPECT_TRUE(run_task(busy_.context, call.run(*store)).has_value()) << call.name;
        for (const auto* name :
            {"records.db", "records.db-wal", "events.db", "events.db-wal", "content.db", "content.db-wal", "content.db-chunks"})
            killed_[name] = read_file(dir_.path() / name);
    }
    /// As a server leaves it that was killed: with logs (-wal).
    void as_after_a_kill() const
    {
        dir_.empty();
        for (const auto& [name, bytes] : killed_)
            write_file(path() / name, bytes);
    }
    const std::filesystem::path& path() const { return dir_.path(); }
    asio::io_context& context() { return busy_.context; }

private:
    fast_dir dir_;
    busy_context busy_;
    files killed_;
};

}    // namespace caisson::testing
