#include "tests/storage/execution_rows.hpp"

namespace caisson::testing {

namespace {

/// Eight executions of tenant 1, the even ones code, every third running, the others failed; labels: team a for those
/// below 5, team b above, and "odd" for the odd ones; 7 is of the skill "echo", 8 and 9 of "wc"; one execution of tenant 2.
class ExecutionList : public StoreContract {
protected:
    void SetUp() override
    {
        for (int i = 1; i <= 9; ++i) {
            auto row = execution(i);
            row.kind = i % 2 == 0 ? execution_kind::code : execution_kind::command;
            row.status = i % 3 == 0 ? execution_status::running : execution_status::failed;
            row.labels["team"] = i < 5 ? "a" : "b";
            if (i % 2 == 1)
                row.labels["odd"] = "";
            if (i > 6)
                row.skill_name = i == 7 ? "echo" : "wc";
            if (i == 9)
                row.tenant = numbered<tenant_id>(2);
            ASSERT_TRUE(run(executions().insert(row, {})).has_value());
        }
    }
    std::string listed(execution_filter filter, int tenant = 1)
    {
        std::string numbers;
        for (const auto& row : *run(executions().list(numbered<tenant_id>(tenant), std::move(filter))))
            numbers += row.id.str().back();
        return numbers;
    }
};

TEST_P(ExecutionList, EachFilterNarrowsAndAllTogetherToo)
{
    struct list_case {
        std::string name;
        execution_filter filter;
        std::string want;
    };
    const auto filter = [](auto set) {
        execution_filter made;
        set(made);
        return made;
    };
    const std::vector<list_case> cases{
        {"none", {}, "87654321"},
        {"limit", filter([](auto& f) { f.limit = 3; }), "876"},
        {"before", filter([](auto& f) { f.before = numbered<execution_id>(4); }), "321"},
        {"before_and_limit", filter([](auto& f) { f.before = numbered<execution_id>(6), f.limit = 2; }), "54"},
        {"status", filter([](auto& f) { f.status = execution_status::running; }), "63"},
        {"status_of_none", filter([](auto& f) { f.status = execution_status::queued; }), ""},
        {"status_and_kind", filter([](auto& f) { f.status = execution_status::failed, f.kind = execution_kind::code; }), "842"},
        {"status_and_before", filter([](auto& f) { f.status = execution_status::failed, f.before = numbered<execution_id>(5); }), "421"},
        {"kind", filter([](auto& f) { f.kind = execution_kind::command; }), "7531"},
        {"label", filter([](auto& f) { f.label = {"team", "a"}; }), "4321"},
        {"label_with_empty_value", filter([](auto& f) { f.label = {"odd", ""}; }), "7531"},
        {"label_of_other_value", filter([](auto& f) { f.label = {"team", "A"}; }), ""},
        {"label_page", filter([](auto& f) { f.label = {"team", "b"}, f.before = numbered<execution_id>(7), f.limit = 1; }), "6"},
        {"label_and_status", filter([](auto& f) { f.label = {"team", "b"}, f.status = execution_status::running; }), "6"},
        {"skill", filter([](auto& f) { f.skill = "wc"; }), "8"},
        {"skill_of_none", filter([](auto& f) { f.skill = "w"; }), ""},
        {"skill_and_before", filter([](auto& f) { f.skill = "wc", f.before = numbered<execution_id>(8); }), ""},
        {"skill_and_status", filter([](auto& f) { f.skill = "echo", f.status = execution_status::failed; }), "7"},
        {"skill_and_other_status", filter([](auto& f) { f.skill = "echo", f.status = execution_status::running; }), ""},
        {"skill_and_kind", filter([](auto& f) { f.skill = "echo", f.kind = execution_kind::code; }), ""},
        {"skill_and_label", filter([](auto& f) { f.skill = "echo", f.label = {"team", "b"}; }), "7"},
        {"skill_created_from", filter([](auto& f) { f.skill = "echo", f.created_from_ms = 1008; }), ""},
        {"skill_created_before", filter([](auto& f) { f.skill = "echo", f.created_before_ms = 1008; }), "7"},
        {"created_from_is_inclusive", filter([](auto& f) { f.created_from_ms = 1007; }), "87"},
        {"created_before_is_exclusive", filter([](auto& f) { f.created_before_ms = 1003; }), "21"},
        {"created_range_with_label", filter([](auto& f) { f.created_from_ms = 1002, f.created_before_ms = 1006, f.label = {"odd", ""}; }),
            "53"},
        {"created_from_with_status", filter([](auto& f) { f.created_from_ms = 1006, f.status = execution_status::running; }), "6"},
        {"created_before_with_status", filter([](auto& f) { f.created_before_ms = 1006, f.status = execution_status::running; }), "3"},
        {"created_from_with_label", filter([](auto& f) { f.created_from_ms = 1003, f.label = {"team", "a"}; }), "43"},
        {"created_before_with_label", filter([](auto& f) { f.created_before_ms = 1003, f.label = {"team", "a"}; }), "21"},
    };
    for (const auto& each : cases)
        EXPECT_EQ(listed(each.filter), each.want) << each.name;
}

TEST_P(ExecutionList, ShowsOneTenantsOnly)
{
    EXPECT_EQ(listed({}, 2), "9");
    execution_filter labelled;
    labelled.label = {"team", "b"};
    EXPECT_EQ(listed(labelled, 2), "9");
    EXPECT_EQ(listed({}, 3), "");
}

TEST_P(ExecutionList, FollowsChangesOfStatus)
{
    auto row = execution(3);
    row.status = execution_status::success;
    ASSERT_TRUE(run(executions().update(row)).has_value());
    execution_filter filter;
    filter.status = execution_status::running;
    EXPECT_EQ(listed(filter), "6");
    filter.status = execution_status::success;
    EXPECT_EQ(listed(filter), "3");
}

INSTANTIATE_TEST_SUITE_P(Stores, ExecutionList, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
