#include "app/cli/exit_status.hpp"
#include "app/cli/skill_run_request.hpp"
#include "app/cli/verbs.hpp"
#include "tests/app/cli/captured.hpp"
#include "tests/app/cli/scripted_server.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include <thread>

namespace caisson::cli {
namespace {

using caisson::testing::read_file;
using caisson::testing::temp_dir;
using caisson::testing::write_file;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* id = "exe_01jd2c3m4n5p6q7r8s9t0v1w2x";
constexpr const char* hello_sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// A scripted server on a thread of its own, and verbs that talk to it.
class SkillVerbs : public ::testing::Test {
protected:
    SkillVerbs()
    {
        context_.environment = {{"CAISSON_API_KEY", "csn_key"}};
        url_ = listener_.listen("127.0.0.1", 0).value().at(0).url();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~SkillVerbs() override
    {
        asio::co_spawn(io_, listener_.stop(time_.steady_now()), [this](std::exception_ptr) { io_.stop(); });
        thread_.join();
    }

    template <class Options>
    outcome run(Options options)
    {
        options.client.url = url_;
        return captured(options, context_);
    }

    system_timers time_;
    null_logger log_;
    asio::io_context io_{1};
    scripted_server server_;
    net::server listener_{io_.get_executor(), time_, log_, server_};
    std::string url_;
    verb_context context_;
    temp_dir home_;
    std::thread thread_;
};

std::string created() { return std::string(R"({"execution_id":")") + id + R"(","status":"queued"})"; }

std::string frame(const std::string& rest) { return std::string(R"({"execution_id":")") + id + R"(","seq":1,"cursor":"c",)" + rest + "}"; }

std::string exit_frame(int code)
{
    const std::string status = code == 0 ? "success" : "failed";
    return frame(R"("kind":"exit","status":")" + status + R"(","verdict":"exited","exit_code":)" + std::to_string(code));
}

/// A run whose program wrote to both streams, as far as its stream.
std::deque<scripted_server::action> a_run(int code)
{
    return {scripted_server::answer(202, created()),
        scripted_server::frames({frame(R"("kind":"state","status":"queued","attempt":2,"delay_ms":500,"cause":"the agent was gone")"),
                                    frame(R"("kind":"output","stream":"stdout","offset":0,"data":"out\n")"),
                                    frame(R"("kind":"output","stream":"stderr","offset":0,"data":"err\n")"), exit_frame(code)},
            1000)};
}

std::string one_file(const std::string& path, const std::string& sha256)
{
    return R"({"items":[{"path":")" + path + R"(","size_bytes":5,"sha256":")" + sha256 + R"(","mode":"0644"}],"next_cursor":null})";
}

skill_run_options wanted()
{
    skill_run_options options;
    options.skill = {"shout", "1.0.0"};
    return options;
}

TEST_F(SkillVerbs, PushSendsThePackageAndSaysWhatItIs)
{
    const auto file = home_ / "x.zip";
    write_file(file, "the bytes");
    server_.script = {scripted_server::answer(201, R"({"name":"shout","version":"1.0.0","digest":"0123","notes":["a note"]})")};
    skill_push_options options;
    options.source = file;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok) << got.err;
    EXPECT_EQ(got.out, "shout@1.0.0  sha256:0123\n");
    EXPECT_THAT(got.err, HasSubstr("a note"));
    EXPECT_THAT(server_.targets, ElementsAre("POST /v1/skills"));
    EXPECT_THAT(server_.bodies, ElementsAre("the bytes"));
}

TEST_F(SkillVerbs, PushOfWhatIsRefusedFails)
{
    write_file(home_ / "x.zip", "bytes");
    server_.script = {scripted_server::answer(400, R"({"error":"invalid_skill","message":"invalid skill: name is required"})")};
    skill_push_options options;
    options.source = home_ / "x.zip";
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_THAT(got.err, HasSubstr("name is required"));
    options.source = home_ / "absent";
    EXPECT_EQ(run(options).status, exit_status::usage);
    options.source = home_.path();    // a folder without SKILL.md is not even sent
    EXPECT_EQ(run(options).status, exit_status::failed);
    EXPECT_EQ(server_.targets.size(), 1u);
}

task<> first_page(net::exchange& one)
{
    net::response answer;
    answer.fields.set("X-Next-Cursor", "next/page");
    answer.body = R"([{"name":"a","version":"1.0.0","lang":"bash","description":"first","uploaded_at":"2026-01-01T00:00:00.000Z"}])";
    co_await one.respond(std::move(answer));
}

TEST_F(SkillVerbs, LsTurnsThePages)
{
    server_.script = {
        &first_page, scripted_server::answer(200, R"([{"name":"b","version":"2.0.0","disabled":true,"description":"x\u001b[2J"}])")};
    skill_list_options options;
    options.text = "a b";
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok) << got.err;
    EXPECT_THAT(server_.targets, ElementsAre("GET /v1/skills?q=a%20b", "GET /v1/skills?q=a%20b&cursor=next%2Fpage"));
    EXPECT_LT(got.out.find("first"), got.out.find("disabled"));
    EXPECT_EQ(got.out.find('\x1b'), std::string::npos);
}

TEST_F(SkillVerbs, ShowIsOfTheLatestUnlessTold)
{
    server_.script = {
        scripted_server::answer(200, R"({"name":"a","instructions":"Line one\nLine \u001b[2Jtwo"})"), scripted_server::answer(404, "{}")};
    skill_show_options options;
    options.skill.name = "a b";
    const auto got = run(options);
    EXPECT_THAT(got.out, HasSubstr("Line one\nLine "));
    EXPECT_EQ(got.out.find('\x1b'), std::string::npos);
    options.skill.version = "sha256:0123";
    EXPECT_EQ(run(options).status, exit_status::failed);
    EXPECT_THAT(server_.targets, ElementsAre("GET /v1/skills/a%20b/latest", "GET /v1/skills/a%20b/sha256%3A0123"));
}

TEST_F(SkillVerbs, RmOfAVersionAndOfAll)
{
    server_.script = {scripted_server::answer(204, ""), scripted_server::answer(204, "")};
    skill_remove_options options;
    options.skill = {"a", "1.0.0"};
    EXPECT_EQ(run(options).status, exit_status::ok);
    options.skill.version.clear();
    options.all = true;
    EXPECT_EQ(run(options).status, exit_status::ok);
    EXPECT_THAT(server_.targets, ElementsAre("DELETE /v1/skills/a/1.0.0", "DELETE /v1/skills/a"));
}

TEST_F(SkillVerbs, RunPutsTheOutputOnStdoutAndTheLogOnStderr)
{
    server_.script = a_run(0);
    server_.script.push_back(scripted_server::answer(200, R"({"status":"success","verdict":"exited","error":null,"output":{"n": 16.0}})"));
    auto options = wanted();
    options.input = R"({"big": 12345678901234567890.10})";
    const auto got = run(options);
    EXPECT_EQ(got.status, 0) << got.err;
    EXPECT_EQ(got.out, "{\"n\": 16.0}\n");    // as it was written
    EXPECT_THAT(got.err, HasSubstr("out\nerr\n"));
    EXPECT_THAT(got.err, HasSubstr("attempt 2 follows in 500 ms: the agent was gone"));
    EXPECT_EQ(server_.targets.front(), "POST /v1/executions");
    EXPECT_THAT(server_.bodies.front(), StartsWith(R"({"input":{"big": 12345678901234567890.10},"skill":"shout","version":"1.0.0")"));
    EXPECT_THAT(server_.keys.front(), StartsWith("\"run-"));
}

TEST_F(SkillVerbs, RunExitsAsTheProgramDid)
{
    server_.script = a_run(7);
    server_.script.push_back(scripted_server::answer(
        200, R"({"status":"failed","verdict":"exited","error":"container exited with code 7","output":{"partial":true}})"));
    const auto got = run(wanted());
    EXPECT_EQ(got.status, 7);
    EXPECT_EQ(got.out, "{\"partial\":true}\n");
    EXPECT_THAT(got.err, EndsWith(std::string("caisson: container exited with code 7 (") + id + ")\n"));
}

const std::string with_files =
    R"({"status":"failed","verdict":"exited","error":"container exited with code 7","files_list":["a","b"],
        "artifacts":{"files":2,"bytes":2048,"skipped_files":1,"skipped":[{"path":"f","reason":"a FIFO"}],"error":null}})";

TEST_F(SkillVerbs, RunSaysWhatIsKeptAndWhyItFailedLast)
{
    server_.script = a_run(7);
    server_.script.push_back(scripted_server::answer(200, with_files));
    const auto got = run(wanted());
    EXPECT_THAT(got.err, EndsWith(std::string("caisson: left out: f: a FIFO\n"
                                              "caisson: kept 2 files (2 KiB): a, b; to fetch: caisson artifacts get ") +
                                  id + "\ncaisson: container exited with code 7 (" + id + ")\n"));
}

TEST_F(SkillVerbs, RunThatIsQuietSaysOnlyWhyItFailed)
{
    server_.script = a_run(7);
    server_.script.push_back(scripted_server::answer(200, with_files));
    auto options = wanted();
    options.quiet = true;
    EXPECT_EQ(run(options).err, std::string("out\nerr\ncaisson: container exited with code 7 (") + id + ")\n");
}

TEST_F(SkillVerbs, RunWhoseRecordIsGoneStillSaysWhyItFailed)
{
    server_.script = a_run(7);
    server_.script.push_back(scripted_server::answer(404, R"({"error":"not_found","message":"it was removed"})"));
    const auto got = run(wanted());
    EXPECT_EQ(got.status, 7);
    EXPECT_THAT(got.err, EndsWith(std::string("it was removed\ncaisson: the program exited with code 7 (") + id + ")\n"));
}

TEST_F(SkillVerbs, RunNamesTheFlagOfALimit)
{
    server_.script = {scripted_server::answer(
        400, R"({"error":"bad_request","message":"limits.wall_ms must be a whole number between 100 and 600000"})")};
    EXPECT_EQ(run(wanted()).err, "caisson: --timeout must be between 100ms and 10m\n");
}

TEST_F(SkillVerbs, RunWithoutFilesMakesNoFolder)
{
    server_.script = a_run(0);
    server_.script.push_back(scripted_server::answer(200, R"({"status":"success","verdict":"exited","output":1})"));
    server_.script.push_back(scripted_server::answer(200, R"({"items":[],"next_cursor":null})"));
    auto options = wanted();
    options.download = home_ / "out";
    const auto got = run(options);
    EXPECT_EQ(got.status, 0);
    EXPECT_THAT(got.err, EndsWith("caisson: there are no files\n"));
    EXPECT_FALSE(std::filesystem::exists(home_ / "out"));
}

TEST_F(SkillVerbs, LsOfANameThatNobodyHasFailsAndAnEmptySearchDoesNot)
{
    server_.script = {scripted_server::answer(200, "[]"), scripted_server::answer(200, "[]"), scripted_server::answer(200, "[]")};
    skill_list_options options;
    EXPECT_THAT(run(options).out, StartsWith("NAME"));
    options.name = "nope";
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_EQ(got.out + got.err, "caisson: skill not found: nope\n");
    options.text = "x";
    EXPECT_EQ(run(options).status, exit_status::ok);
}

TEST_F(SkillVerbs, RunWhoseOutputWasRefusedIsNoSuccess)
{
    server_.script = a_run(0);
    server_.script.push_back(scripted_server::answer(200, R"({"status":"failed","verdict":"exited","error":"output.json is not JSON"})"));
    const auto got = run(wanted());
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_THAT(got.out, IsEmpty());
    EXPECT_THAT(got.err, HasSubstr("output.json is not JSON"));
}

TEST_F(SkillVerbs, RunThatIsRefusedIsInfrastructure)
{
    server_.script = {scripted_server::answer(404, R"({"error":"not_found","message":"skill not found: shout@1.0.0"})")};
    const auto got = run(wanted());
    EXPECT_EQ(got.status, exit_status::infrastructure);
    EXPECT_THAT(got.err, HasSubstr("skill not found"));
    auto options = wanted();
    options.input = "{nonsense";
    EXPECT_EQ(run(options).status, exit_status::infrastructure);
    EXPECT_EQ(server_.targets.size(), 1u);
}

TEST_F(SkillVerbs, RunDetached)
{
    server_.script = {scripted_server::answer(202, created())};
    auto options = wanted();
    options.detach = true;
    EXPECT_EQ(run(options).out, std::string(id) + "\n");
}

TEST_F(SkillVerbs, RunFetchesFiles)
{
    server_.script = a_run(0);
    server_.script.push_back(scripted_server::answer(200, R"({"status":"success","verdict":"exited","output":1})"));
    server_.script.push_back(scripted_server::answer(200, one_file("a/b c.txt", hello_sha256)));
    server_.script.push_back(scripted_server::pieces({"he", "llo"}, false));
    auto options = wanted();
    options.download = home_ / "out";
    const auto got = run(options);
    EXPECT_EQ(got.status, 0) << got.err;
    EXPECT_EQ(got.out, "1\n");
    EXPECT_EQ(read_file(home_ / "out/a/b c.txt"), "hello");
    EXPECT_EQ(server_.targets.back(), std::string("GET /v1/executions/") + id + "/artifacts/a/b%20c.txt");
}

struct bad_fetch {
    std::string_view name;
    std::string path;
    std::string sha256;
    std::vector<std::string> pieces;
    bool cut = false;
    std::string_view want;
};

class BadFetch : public SkillVerbs, public ::testing::WithParamInterface<bad_fetch> { };

TEST_P(BadFetch, LeavesNothing)
{
    const auto& c = GetParam();
    server_.script = {scripted_server::answer(200, one_file(c.path, c.sha256)), scripted_server::pieces(c.pieces, c.cut)};
    artifact_get_options options;
    options.id = id;
    options.target = home_ / "out";
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_THAT(got.err, HasSubstr(c.want));
    EXPECT_TRUE(std::filesystem::is_empty(home_ / "out"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(home_.path()), {}), 1);
}

INSTANTIATE_TEST_SUITE_P(Cases, BadFetch,
    ::testing::Values(bad_fetch{"traversal", "../escaped", hello_sha256, {"hello"}, false, "nothing was fetched"},
        bad_fetch{"absolute", "/tmp/escaped", hello_sha256, {"hello"}, false, "nothing was fetched"},
        bad_fetch{"other_content", "x", hello_sha256, {"hellO"}, false, "digest"},
        bad_fetch{"cut", "x", hello_sha256, {"he"}, true, "connection"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(SkillVerbs, FilesThatAreThereAreNamedBeforeAnythingIsFetched)
{
    std::filesystem::create_directories(home_ / "out");
    write_file(home_ / "out/x", "mine");
    server_.script = {scripted_server::answer(200, one_file("x", hello_sha256)), scripted_server::answer(200, one_file("x", hello_sha256)),
        scripted_server::pieces({"hello"}, false)};
    artifact_get_options options;
    options.id = id;
    options.target = home_ / "out";
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_THAT(got.err, HasSubstr("x is there already; --force"));
    EXPECT_EQ(server_.targets.size(), 1u);
    EXPECT_EQ(read_file(home_ / "out/x"), "mine");
    options.force = true;
    EXPECT_EQ(run(options).status, exit_status::ok);
    EXPECT_EQ(read_file(home_ / "out/x"), "hello");
}

TEST_F(SkillVerbs, OneFileGoesToItsTargetOrToStandardOutput)
{
    server_.script = {scripted_server::answer(200, one_file("a/x", hello_sha256)), scripted_server::pieces({"hello"}, false)};
    artifact_get_options options;
    options.id = id;
    options.path = "a/x";
    options.target = home_ / "named";
    EXPECT_EQ(run(options).status, exit_status::ok);
    EXPECT_EQ(read_file(home_ / "named"), "hello");
    server_.script = {scripted_server::answer(404, R"({"error":"not_found","message":"no such file"})")};
    options.target = "-";
    EXPECT_EQ(run(options).status, exit_status::failed);
}

TEST_F(SkillVerbs, ArtifactsLsTurnsThePages)
{
    server_.script = {scripted_server::answer(200, R"({"items":[{"path":"a","size_bytes":1,"partial":true}],"next_cursor":"c="})"),
        scripted_server::answer(200, R"({"items":[{"path":"b","size_bytes":2}],"next_cursor":null})")};
    artifact_list_options options;
    options.id = id;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok);
    EXPECT_THAT(got.out, HasSubstr("partial"));
    EXPECT_THAT(server_.targets.back(), HasSubstr("cursor=c%3D"));
}

TEST(SkillRunRequest, SaysWhatWasGiven)
{
    auto options = wanted();
    options.env = {{"A", "1"}};
    options.labels = {{"l", "2"}};
    options.wall_ms = 1'000;
    options.cpus = 0.5;
    options.attempts = 3;
    options.runtime = "mock";
    EXPECT_EQ(boost::json::parse(skill_run_request(options, "[1]")), boost::json::parse(R"({"input":[1],"skill":"shout","version":"1.0.0",
        "env":{"A":"1"},"labels":{"l":"2"},"limits":{"wall_ms":1000,"cpus":0.5},"retry":{"attempts":3},"runtime":"mock","wait":false})"));
}

}    // namespace
}    // namespace caisson::cli
