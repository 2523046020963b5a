#include "app/wire/batch_request.hpp"
#include "app/wire/batch_view.hpp"
#include "tests/app/wire/wire_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

const wire_fixture server;

struct refused_batch {
    std::string_view name;
    std::string body;
    std::string_view want;
};

std::string many(std::size_t count)
{
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
        list += std::string(i == 0 ? "" : ",") + R"({"shell":"true"})";
    return R"({"executions":[)" + list + "]}";
}

class RefusedBatch : public ::testing::TestWithParam<refused_batch> { };

TEST_P(RefusedBatch, IsToldWhy)
{
    const auto out = parse_batch_request(GetParam().body, server.context());
    ASSERT_TRUE(out.has_error());
    EXPECT_EQ(told(out.error()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, RefusedBatch,
    ::testing::Values(refused_batch{"nothing", "{}", "bad_request: executions is required"},
        refused_batch{"no_list", R"({"executions":{}})", "bad_request: executions must be an array"},
        refused_batch{"empty", R"({"executions":[]})", "bad_request: executions must be a list of 1 to 100 executions"},
        refused_batch{"too_many", many(101), "bad_request: executions must be a list of 1 to 100 executions"},
        refused_batch{"no_boolean", R"({"executions":[{"shell":"true"}],"wait":1})", "bad_request: wait must be true or false"},
        refused_batch{"unknown", R"({"executions":[{"shell":"true"}],"parallel":2})", "bad_request: parallel is not a known field"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BatchRequest, TakesAHundredOfAnyKind)
{
    const auto out = parse_batch_request(many(100), server.context());
    ASSERT_TRUE(out.has_value());
    EXPECT_EQ(out->executions.size(), 100u);
    EXPECT_TRUE(out->wait);
}

TEST(BatchRequest, AMistakeIsItsItemsAlone)
{
    const auto out = parse_batch_request(
        R"({"wait":false,"executions":[{"command":["ls"]},{"command":["ls"],"limits":{"pids":0}},7,{"shell":"x","wait":false}]})",
        server.context());
    ASSERT_TRUE(out.has_value());
    EXPECT_FALSE(out->wait);
    ASSERT_EQ(out->executions.size(), 4u);
    EXPECT_EQ(out->executions[0]->spec.argv.front(), "ls");
    EXPECT_EQ(told(out->executions[1].error()), "bad_request: limits.pids must be a whole number between 1 and 4096");
    EXPECT_EQ(told(out->executions[2].error()), "bad_request: executions[2] must be an object, as of POST /v1/executions");
    EXPECT_EQ(told(out->executions[3].error()), "bad_request: wait is said once for the whole batch, beside executions");
}

TEST(BatchRequest, ASkillsInputStaysAsItIsWritten)
{
    const auto out = parse_batch_request(
        R"({"executions" : [ {"shell":"echo [,]"} , {"skill":"a","input": [16.0, "]}\""] },{"input":{"b":1e2},"skill":"b"}],"wait":true})",
        server.context());
    ASSERT_TRUE(out.has_value());
    EXPECT_EQ(out->executions[1]->spec.input, R"([16.0, "]}\""])");
    EXPECT_EQ(out->executions[2]->spec.input, R"({"b":1e2})");
}

TEST(BatchView, ItemsHaveTheirIndex)
{
    EXPECT_EQ(batch_execution_json(3, R"({"a":1})"), R"({"index":3,"execution":{"a":1}})");
    const error what{errc::bad_request, "pids is wrong", {{"pids", "is wrong"}}};
    EXPECT_EQ(batch_error_json(0, what),
        R"({"index":0,"error":{"error":"bad_request","message":"pids is wrong","details":{"fields":[{"field":"pids","message":"is wrong"}]}}})");
}

}    // namespace

}    // namespace caisson::wire
