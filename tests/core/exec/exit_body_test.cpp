#include "core/exec/record/record.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace caisson {
namespace {

execution_row ended_row()
{
    execution_row row;
    row.kind = execution_kind::skill;
    row.status = execution_status::success;
    row.verdict = verdict::exited;
    row.exit_code = 0;
    return row;
}

boost::json::object said(const execution_row& row, const std::vector<artifact_row>& left = {})
{
    return boost::json::parse(exit_body(row, left)).as_object();
}

artifact_row file(std::string path)
{
    artifact_row out;
    out.path = std::move(path);
    return out;
}

TEST(ExitBody, HasTheOutputOnOneLine)
{
    auto row = ended_row();
    row.output = shared_bytes("{\r\n \"n\": 1.50,\n \"s\": \"\\n\"}\n");
    EXPECT_EQ(said(row).at("output").as_string(), "{   \"n\": 1.50,  \"s\": \"\\n\"} ");
    EXPECT_FALSE(said(row).contains("output_bytes"));
}

TEST(ExitBody, TellsTheSizeOfAnOutputThatIsTooLong)
{
    auto row = ended_row();
    row.output = shared_bytes(std::string(max_said_output_bytes, '1'));
    EXPECT_TRUE(said(row).contains("output"));
    row.output = shared_bytes(std::string(max_said_output_bytes + 1, '1'));
    EXPECT_FALSE(said(row).contains("output"));
    EXPECT_EQ(said(row).at("output_bytes").as_int64(), 32'769);
}

TEST(ExitBody, HasNeitherOutputNorFilesWhereNoneWereWanted)
{
    for (const auto* name : {"output", "output_bytes", "artifacts", "files_list"})
        EXPECT_FALSE(said(ended_row()).contains(name)) << name;
}

TEST(ExitBody, ListsTheFilesInOrder)
{
    auto row = ended_row();
    row.collected = collect_summary{2, 300, {{"x", "not a regular file"}}, 1, true, "the disk is full"};
    const auto body = said(row, {file("b"), file("a")});
    EXPECT_EQ(body.at("files_list"), boost::json::parse(R"(["a","b"])"));
    EXPECT_EQ(
        body.at("artifacts"), boost::json::parse(R"({"files":2,"bytes":300,"partial":true,"skipped_files":1,"error":"the disk is full"})"));
    row.collected = collect_summary();
    EXPECT_TRUE(said(row).at("artifacts").at("error").is_null());
    EXPECT_FALSE(said(row).contains("files_list"));
}

TEST(ExitBody, ListsTheFirstOfManyFiles)
{
    auto row = ended_row();
    row.collected = collect_summary();
    std::vector<artifact_row> left;
    for (int i = 100; i < 300; ++i)
        left.push_back(file(std::to_string(i)));
    const auto paths = said(row, left).at("files_list").as_array();
    EXPECT_EQ(paths.size(), max_said_paths);
    EXPECT_EQ(paths.back(), "199");
}

TEST(ExitBody, ListsPathsAsFarAsTheyAreShort)
{
    auto row = ended_row();
    row.collected = collect_summary();
    const std::string long_name(max_said_path_bytes / 2, 'x');
    const auto body = said(row, {file("a" + long_name.substr(1)), file("b" + long_name.substr(1)), file("c")});
    EXPECT_EQ(body.at("files_list").as_array().size(), 2u);
}

TEST(ExitBody, SaysWhatTheCompilerWroteIfThereIsNoProgram)
{
    auto row = ended_row();
    row.compile.emplace().output = "warning";
    EXPECT_FALSE(said(row, {}).contains("compile")) << "there was one";
    row.compile->status = execution_status::timeout;
    row.compile->verdict = verdict::wall_limit;
    row.compile->output = std::string(max_said_output_bytes - 1, 'x') + "ä";
    const auto body = said(row, {});
    EXPECT_EQ(body.at("compile").at("output").as_string().size(), max_said_output_bytes - 1);
    execution_row read;
    apply_exit_body(read, boost::json::serialize(body), 5);
    ASSERT_TRUE(read.compile);
    EXPECT_EQ(read.compile->status, execution_status::timeout);
    EXPECT_EQ(read.compile->verdict, verdict::wall_limit);
    EXPECT_TRUE(read.compile->output_truncated);
}

TEST(ExitBody, IsReadBackWithTheDeepestOutput)
{
    auto row = ended_row();
    row.output = shared_bytes(std::string(256, '[') + "1e999" + std::string(256, ']'));
    row.collected = collect_summary();
    const auto body = exit_body(row, {});
    execution_row read;
    apply_exit_body(read, body, 5);
    EXPECT_EQ(read.status, execution_status::success);
    EXPECT_EQ(read.finished_at_ms, 5);
}

}    // namespace
}    // namespace caisson
