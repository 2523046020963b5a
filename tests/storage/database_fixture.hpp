#pragma once

#include "storage/sqlite/database.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <latch>

namespace caisson::testing {

inline constexpr std::pair<std::string_view, std::string_view> tables[] = {
    {"0001_t.sql", "CREATE TABLE t (n INTEGER NOT NULL UNIQUE, b BLOB) STRICT"},
};
inline constexpr sqlite::schema test_schema{7, tables};

/// A database of one table and writes that a test can hold up.
class DatabaseTest : public ::testing::Test {
protected:
    void open(sqlite::writer_limits limits = {})
    {
        sqlite::database_options options;
        options.writing = limits;
        db_ = std::make_unique<sqlite::database>(dir_ / "t.db", test_schema, options);
    }
    /// Starts a write and counts its end.
    template <class F>
    void start(F work)
    {
        ++running_;
        asio::co_spawn(context_.get_executor(), db_->write(std::move(work)), [this](std::exception_ptr failure, auto&&...) {
            failures_ += failure ? 1 : 0;
            --running_;
        });
        context_.restart();
        context_.poll();    // as far as the queue
    }
    /// Starts a write that keeps the thread until let go.
    void hold()
    {
        start(sqlite::called_once([this](sqlite::connection&) {
            held_.count_down();
            go_.wait();
        }));
        held_.wait();
    }
    void finish()
    {
        while (running_ > 0 && context_.run_one() > 0) { }
        ASSERT_EQ(running_, 0);
    }
    static auto inserting(int n)
    {
        return [n](sqlite::connection& db) { db.prepare("INSERT INTO t (n) VALUES (?)").bind(n).run(); };
    }
    std::int64_t rows()
    {
        return run_task(context_, db_->read([](sqlite::connection& db) { return db.integer("SELECT count(*) FROM t"); }));
    }

    temp_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    std::unique_ptr<sqlite::database> db_;
    std::latch held_{1};
    std::latch go_{1};
    int running_ = 0;
    int failures_ = 0;
};

}    // namespace caisson::testing
