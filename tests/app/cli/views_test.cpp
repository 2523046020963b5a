#include "app/cli/diagnosis.hpp"
#include "app/cli/record_view.hpp"
#include "app/cli/views.hpp"

#include "core/base/clock.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <gmock/gmock.h>

namespace caisson::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::int64_t now = from_rfc3339("2026-01-31T12:00:00.000Z").value();

TEST(ExecutionsTable, Golden)
{
    const auto items = boost::json::parse(R"([
        {"execution_id":"exe_2","kind":"code","language":"python","status":"running","created_at":"2026-01-31T11:59:55.500Z","labels":{"job":"n\u001b[2J"}},
        {"execution_id":"exe_1","kind":"command","status":"failed","verdict":"exited","exit_code":3,"duration_ms":1240,"created_at":"2026-01-30T11:00:00.000Z"},
        {"execution_id":"exe_0","kind":"shell","status":"timeout","verdict":"wall_limit","signal":15,"duration_ms":30000,"created_at":"2026-01-31T11:00:00.000Z"}])")
                           .as_array();
    EXPECT_EQ(executions_table(items, now, false), "ID     STATUS   END        WHAT     CREATED      TOOK   LABELS\n"
                                                   "exe_2  running             python   4 s ago             job=n [2J\n"
                                                   "exe_1  failed   exit 3     command  1 d 1 h ago  1.2 s  \n"
                                                   "exe_0  timeout  signal 15  shell    1 h ago      30 s   \n");
}

TEST(ExecutionsTable, ShowsThePlaceInTheQueue)
{
    const auto items = boost::json::parse(R"([{"execution_id":"e","status":"queued","queue_position":12}])").as_array();
    EXPECT_THAT(executions_table(items, now, false), HasSubstr("e   queued #12  "));
}

TEST(ExecutionsTable, BelowASecondIsNow)
{
    const auto table_of = [](const std::string& created) {
        return executions_table(boost::json::array{boost::json::object{{"created_at", created}}}, now, false);
    };
    EXPECT_THAT(table_of("2026-01-31T11:59:59.001Z"), HasSubstr("  now  "));
    EXPECT_THAT(table_of("2026-01-31T12:00:07.000Z"), HasSubstr("  now  "));    // the server's clock is ahead
    EXPECT_THAT(table_of("2026-01-31T11:59:59.000Z"), HasSubstr("1 s ago"));
}

TEST(ExecutionsTable, EmptyHasItsTitles) { EXPECT_EQ(executions_table({}, now, false), "ID  STATUS  END  WHAT  CREATED  TOOK  LABELS\n"); }

TEST(ExecutionsTable, ColoursTheStatus)
{
    const auto items = boost::json::parse(R"([{"execution_id":"e","status":"success"}, 7])").as_array();
    EXPECT_THAT(executions_table(items, now, true), HasSubstr("\x1b[32msuccess\x1b[0m"));
}

TEST(RecordText, Golden)
{
    const auto record =
        boost::json::parse(R"({"execution_id":"exe_1","status":"failed","limits_hit":["memory","pids"],"exit_code":null,"labels":{},
        "usage":{"cpu_ms":12,"share":0.45},"stdout":"secret output","error":"a\nb"})")
            .as_object();
    EXPECT_EQ(record_text(record, false), "execution_id      exe_1\n"
                                          "status            failed\n"
                                          "limits_hit        memory, pids\n"
                                          "usage             cpu_ms 12, share 0.5\n"
                                          "error             a b\n");
}

TEST(RecordText, ListsOfObjectsAreLines)
{
    const auto record = boost::json::parse(R"({"files_url_expires_at":"soon","artifacts":{"files":1,"error":null,
        "skipped":[{"path":"o/f","reason":"a FIFO"},{"path":"o/l","reason":"a link"}]},
        "attempts":[{"number":1,"fault":"program"},{"number":2},{"number":3}]})")
                            .as_object();
    EXPECT_EQ(record_text(record, false), "files_url_expires_at soon\n"
                                          "artifacts            files 1\n"
                                          "  skipped            o/f: a FIFO\n"
                                          "                     o/l: a link\n"
                                          "attempts             number 1, fault program\n"
                                          "                     number 2\n"
                                          "                     number 3\n");
}

TEST(ExecutionsTable, LeavesColumnsAwayWhereTheyDoNotFit)
{
    const auto items = boost::json::parse(R"([{"execution_id":"exe_01jd2c3m4n5p6q7r8s9t0v1w2x","status":"success","verdict":"exited",
        "exit_code":0,"skill_name":"multi-file-output","skill_version":"1.0.0","duration_ms":65,"created_at":"2026-01-31T11:59:55.500Z"}])")
                           .as_array();
    EXPECT_EQ(executions_table(items, now, false, 60), "ID                              STATUS   WHAT\n"
                                                       "exe_01jd2c3m4n5p6q7r8s9t0v1w2x  success  multi-file-output@…\n");
    EXPECT_THAT(executions_table(items, now, false, 200), HasSubstr("LABELS"));
}

TEST(StagesLine, Golden)
{
    EXPECT_EQ(
        stages_line(boost::json::parse(R"({"stages":{"queue_ms":0.12,"start_ms":6,"first_byte_ms":18.26,"interpreter":"warm","x":null}})")
                .as_object()),
        "queue 0.1 ms, start 6.0 ms, first byte 18.3 ms, interpreter warm");
    EXPECT_EQ(stages_line({}), "");
}

api_key_row key_row()
{
    api_key_row row;
    row.id = key_id::from_trusted("key_1");
    row.tenant = tenant_id::from_trusted("ten_1");
    row.tenant_name = "acme";
    row.hash = "0123456789abcdef";
    row.hint = "wxyz";
    row.scopes = {scope::run, scope::read};
    row.created_at_ms = now - 60'000;
    return row;
}

TEST(KeysTable, Golden)
{
    auto expired = key_row();
    expired.expires_at_ms = now;
    auto revoked = key_row();
    revoked.revoked_at_ms = now - 1;
    revoked.last_used_at_ms = now - 5'000;
    const std::vector<api_key_row> rows{key_row(), expired, revoked};
    EXPECT_EQ(keys_table(rows, now, false), "ID     TENANT  KEY    SCOPES    STATE    CREATED    EXPIRES                   LAST USED\n"
                                            "key_1  acme    …wxyz  run,read  active   1 min ago  never                     never\n"
                                            "key_1  acme    …wxyz  run,read  expired  1 min ago  2026-01-31T12:00:00.000Z  never\n"
                                            "key_1  acme    …wxyz  run,read  revoked  1 min ago  never                     5 s ago\n");
}

TEST(KeysTable, BelowASecondIsNow)
{
    auto fresh = key_row();
    fresh.created_at_ms = now - 999;
    fresh.last_used_at_ms = now;
    EXPECT_EQ(keys_table(std::vector{fresh}, now, false), "ID     TENANT  KEY    SCOPES    STATE   CREATED  EXPIRES  LAST USED\n"
                                                          "key_1  acme    …wxyz  run,read  active  now      never    now\n");
}

TEST(KeysJson, HasNoHash)
{
    const std::vector<api_key_row> rows{key_row()};
    const auto text = boost::json::serialize(keys_json(rows));
    EXPECT_THAT(text, Not(HasSubstr("0123456789abcdef")));
    EXPECT_THAT(text, HasSubstr(R"("hint":"wxyz","scopes":["run","read"])"));
    EXPECT_THAT(text, HasSubstr(R"("expires_at":null)"));
}

server_config config_of(std::string default_runtime)
{
    server_config config;
    config.default_runtime = std::move(default_runtime);
    return config;
}

TEST(JudgeRuntimes, TheDefaultHasToWork)
{
    runtime_capabilities broken{.name = "bubblewrap", .available = false, .unavailable_reason = "install bubblewrap", .isolates = true};
    const auto as_default = judge_runtimes({broken}, config_of("bubblewrap"));
    EXPECT_FALSE(healthy(as_default));
    EXPECT_EQ(as_default.at(0).remedy, "install bubblewrap");
    EXPECT_TRUE(healthy(judge_runtimes({broken}, config_of("process"))));
}

TEST(JudgeRuntimes, NamesWhatIsNotEnforced)
{
    runtime_capabilities weak{
        .name = "bubblewrap", .available = true, .isolates = true, .degraded = {{"memory", "no cgroup", "run as root"}}};
    const auto found = judge_runtimes({weak}, config_of("bubblewrap"));
    EXPECT_TRUE(healthy(found));
    EXPECT_EQ(findings_text(found, false), "STATE     WHAT                FOUND\n"
                                           "ok        runtime bubblewrap  works, the default\n"
                                           "degraded  bubblewrap memory   no cgroup; run as root\n");
}

TEST(JudgeRuntimes, WithoutIsolationIsLoud)
{
    runtime_capabilities bare{.name = "process", .available = true, .isolates = false};
    EXPECT_THAT(findings_text(judge_runtimes({bare}, config_of("process")), false), HasSubstr("WITHOUT ANY ISOLATION"));
}

TEST(JudgeForeignContainers, SaysHowThoseOfAServerThatIsGoneAreRemoved)
{
    const std::vector<docker::foreign_server> foreign{
        {"aa", 2, 1, "/srv/one", true}, {"bb", 3, 0, "", false}, {"cc", 1, 1, "/srv/three", false}};
    const auto found = judge_foreign_containers(foreign, "unix:///run/x");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_TRUE(healthy(found));
    EXPECT_EQ(found[0].what, "containers of aa");
    EXPECT_THAT(found[0].detail, HasSubstr("2 containers of another server, 1 of them running; its data is in /srv/one, and it runs"));
    EXPECT_EQ(found[0].remedy, "") << "it lives";
    EXPECT_THAT(found[1].detail, HasSubstr("does not run on this host"));
    EXPECT_THAT(found[1].remedy,
        HasSubstr("docker -H unix:///run/x ps -aq --filter label=caisson.instance=bb | xargs -r docker -H unix:///run/x rm -fv"));
    EXPECT_THAT(found[2].detail, HasSubstr("/srv/three"));
    EXPECT_TRUE(judge_foreign_containers({}, "unix:///run/x").empty());
}

TEST(LookAtHost, NamesWhatIsMissing)
{
    server_config config;
    config.data_dir = "/proc/caisson";
    config.agent_path = "/nowhere/caisson-agent";
    config.launch_path = "/bin/sh";
    const auto found = look_at_host(config);
    EXPECT_FALSE(healthy(found));
    const auto of = [&](std::string_view what) { return *std::ranges::find(found, what, &finding::what); };
    EXPECT_EQ(of("caisson-agent").state, finding_state::failed);
    EXPECT_THAT(of("caisson-agent").detail, HasSubstr("/nowhere/caisson-agent"));
    EXPECT_EQ(of("caisson-launch").state, finding_state::ok);
}

TEST(LookAtHost, NamesADataDirectoryThatOthersMayWrite)
{
    const caisson::testing::temp_dir place;
    server_config config;
    config.data_dir = place / "data";
    std::filesystem::create_directory(config.data_dir);
    std::filesystem::permissions(config.data_dir, std::filesystem::perms::all);
    const auto shared = look_at_host(config).front();
    EXPECT_EQ(shared.what, "data directory");
    EXPECT_EQ(shared.state, finding_state::failed);
    EXPECT_THAT(shared.detail, HasSubstr("chmod go-w " + config.data_dir.string()));
    std::filesystem::permissions(config.data_dir, std::filesystem::perms::owner_all);
    EXPECT_EQ(look_at_host(config).front().state, finding_state::ok);
}

}    // namespace
}    // namespace caisson::cli
