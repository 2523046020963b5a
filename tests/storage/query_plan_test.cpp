#include "storage/sql.hpp"
#include "storage/storage.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <span>

namespace caisson::testing {

namespace {

using file_list = std::span<const std::pair<std::string_view, std::string_view>>;

class QueryPlan : public ::testing::Test {
protected:
    QueryPlan()
    {
        storage::open(dir_.path());
        sqlite3_open((dir_ / "records.db").c_str(), &records_);
        sqlite3_open((dir_ / "events.db").c_str(), &events_);
        sqlite3_open((dir_ / "content.db").c_str(), &content_);
    }
    ~QueryPlan() override
    {
        sqlite3_close(records_);
        sqlite3_close(events_);
        sqlite3_close(content_);
    }
    /// How SQLite would run `sql`: its steps, one a line.
    static std::string plan_of(sqlite3* db, std::string_view sql)
    {
        const auto text = "EXPLAIN QUERY PLAN " + std::string(sql);
        sqlite3_stmt* query = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(db, text.c_str(), -1, &query, nullptr), SQLITE_OK) << sql;
        std::string plan;
        while (sqlite3_step(query) == SQLITE_ROW)
            plan.append(reinterpret_cast<const char*>(sqlite3_column_text(query, 3))).append("\n");
        sqlite3_finalize(query);
        return plan;
    }
    /// No statement reads a whole table or sorts, but for `exempt` and partial indexes, which are read whole by design.
    static void expect_indexed(sqlite3* db, file_list files, std::string_view exempt = "")
    {
        for (const auto& [name, sql] : files) {
            auto plan = plan_of(db, sql);
            for (const std::string partial : {"SCAN sandboxes USING INDEX sandboxes_alive", "SCAN e USING INDEX executions_unfinished",
                     "SCAN contents USING INDEX contents_erased", "SCAN contents USING INDEX contents_unfinished",
                     "SCAN chunk_places USING INDEX chunk_places_free"})
                if (const auto at = plan.find(partial); at != std::string::npos)
                    plan.erase(at, partial.size());
            EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << name << "\n" << plan;
            if (name != exempt)
                EXPECT_EQ(plan.find("SCAN"), std::string::npos) << name << "\n" << plan;
        }
    }
    temp_dir dir_;
    sqlite3* records_ = nullptr;
    sqlite3* events_ = nullptr;
    sqlite3* content_ = nullptr;
};

TEST_F(QueryPlan, EveryStatementGoesByAnIndex)
{
    expect_indexed(records_, sql::tenant::files);
    expect_indexed(records_, sql::api_key::files, "list.sql");
    expect_indexed(records_, sql::sandbox::files);
    expect_indexed(records_, sql::execution::files);
    expect_indexed(records_, sql::idempotency::files);
    expect_indexed(records_, sql::webhook::files);
    expect_indexed(records_, sql::allowed_image::files);
    expect_indexed(records_, sql::skill::files);
    expect_indexed(records_, sql::artifact::files, "tenants.sql");
    expect_indexed(records_, sql::thread::files);
    expect_indexed(records_, sql::checkpoint::files);
    expect_indexed(records_, sql::state::files);
    expect_indexed(content_, sql::content::files);
    expect_indexed(content_, sql::chunk::files, "find_tag_key.sql");
    expect_indexed(events_, sql::log::files);
    expect_indexed(events_, sql::event::files);
}

TEST_F(QueryPlan, ListsSeekToTheirFirstRow)
{
    EXPECT_NE(plan_of(records_, sql::execution::list).find("executions_by_tenant (tenant_id=? AND id<?)"), std::string::npos);
    EXPECT_NE(plan_of(records_, sql::execution::list_by_status).find("executions_by_status (tenant_id=? AND status=? AND id<?)"),
        std::string::npos);
    EXPECT_NE(plan_of(records_, sql::execution::list_by_label).find("PRIMARY KEY (tenant_id=? AND name=? AND value=? AND execution_id<?)"),
        std::string::npos);
    EXPECT_NE(
        plan_of(records_, sql::execution::list_by_skill).find("executions_by_skill (tenant_id=? AND skill=? AND id<?)"), std::string::npos);
    EXPECT_NE(plan_of(events_, sql::event::read).find("(log=? AND seq>?)"), std::string::npos);
    EXPECT_NE(plan_of(events_, sql::event::last_seen).find("(log=? AND seq<?)"), std::string::npos);
}

}    // namespace

}    // namespace caisson::testing
