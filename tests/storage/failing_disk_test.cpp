#include "adapters/crypto/sha256_hasher.hpp"
#include "tests/storage/fault_vfs.hpp"
#include "tests/storage/storage_load.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

struct fault_case {
    std::string name;
    disk_fault how;
    storage_fault says;
};

void PrintTo(const fault_case& one, std::ostream* out) { *out << one.name; }

class FailingDisk : public ::testing::TestWithParam<fault_case> {
protected:
    void open()
    {
        store_ = storage::open(dir_.path(), {.readers = 1, .reserve_bytes = 0, .make_hasher = &make_sha256_hasher, .ahead_log_bytes = 0});
    }

    /// True if the call succeeded; otherwise it failed as it should.
    bool succeeds(const store_call& call)
    {
        try {
            const auto got = run_task(context_, call.run(*store_));
            EXPECT_TRUE(got.has_value()) << call.name << ": " << (got.has_error() ? got.error().detail : "");
            return true;
        } catch (const storage_error& e) {
            EXPECT_EQ(e.fault(), GetParam().says) << call.name << ": " << e.what();
            return false;
        }
    }

    std::string content(database_file file) { return content_of(dir_.path(), file); }

    fast_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    fault_vfs vfs_;
    std::unique_ptr<storage> store_;
};

/// Each call is tried with the disk failing from its first write on, then from its second, and so on until it gets through.
TEST_P(FailingDisk, AtEachWriteFailsTheCallAsAWholeAndTheNextOneWorks)
{
    open();
    int failures = 0;
    for (const auto& call : representative_calls()) {
        const auto before = content(call.file);
        for (std::size_t working = 0;; ++working) {
            vfs_.fail_after(working, GetParam().how);
            const bool done = succeeds(call);
            vfs_.heal();
            if (done)
                break;
            ++failures;
            ASSERT_EQ(content(call.file), before) << call.name << " left something behind";
            ASSERT_LT(working, 200u) << call.name << " never gets through";
        }
        ASSERT_NE(content(call.file), before) << call.name;
    }
    EXPECT_GT(failures, 60) << "each transaction has one write at least";
    const auto records = content(database_file::records);
    const auto events = content(database_file::events);
    const auto contents = content(database_file::content);
    store_.reset();
    open();
    EXPECT_EQ(content(database_file::records), records);
    EXPECT_EQ(content(database_file::events), events);
    EXPECT_EQ(content(database_file::content), contents);
    EXPECT_EQ(integrity_of(dir_.path()), "");
}

TEST_P(FailingDisk, WhileTheDatabasesAreMadeIsSaidAndTheNextStartWorks)
{
    for (std::size_t working = 0;; ++working) {
        ASSERT_LT(working, 500u);
        dir_.empty();
        vfs_.fail_after(working, GetParam().how);
        bool opened = true;
        try {
            open();
        } catch (const storage_error& e) {
            opened = false;
            EXPECT_EQ(e.fault(), GetParam().says) << working << ": " << e.what();
        }
        store_.reset();
        vfs_.heal();
        open();
        ASSERT_EQ(integrity_of(dir_.path()), "") << working;
        store_.reset();
        if (opened)
            return;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, FailingDisk,
    ::testing::Values(
        fault_case{"full", disk_fault::full, storage_fault::disk_full}, fault_case{"broken", disk_fault::broken, storage_fault::broken}),
    [](const auto& info) { return info.param.name; });

}    // namespace

}    // namespace caisson::testing
