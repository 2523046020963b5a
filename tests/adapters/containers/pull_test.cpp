#include "adapters/engine/images.hpp"
#include "core/base/base64.hpp"
#include "tests/adapters/containers/fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/json/parse.hpp>

namespace caisson::docker {
namespace {

namespace json = boost::json;

constexpr std::string_view found = "{\"status\":\"Pulling from library/busybox\",\"id\":\"1\"}\r\n";
constexpr std::string_view layer = "{\"status\":\"Pulling fs layer\",\"progressDetail\":{},\"id\":\"aa\"}\r\n";
constexpr std::string_view complete = "{\"status\":\"Pull complete\",\"progressDetail\":{},\"id\":\"aa\"}\r\n";
constexpr std::string_view digest = "{\"status\":\"Digest: sha256:00\"}\r\n";
constexpr std::string_view ended = "{\"status\":\"Status: Downloaded newer image for busybox:1\"}\r\n";

std::string downloading(int current)
{
    return R"({"status":"Downloading","progressDetail":{"current":)" + std::to_string(current) +
           R"(,"total":1000},"progress":"[=>   ]","id":"aa"})" + "\r\n";
}

class Pull : public imposter_test {
protected:
    task<result<void>> pull(std::string reference = "busybox:1", std::optional<registry_credentials> credentials = std::nullopt)
    {
        auto note = [this](const pull_progress& got) { told.push_back(got); };
        return all.pull(std::move(reference), std::move(credentials), std::move(note), 60s, time.steady_now() + 10min);
    }
    caisson::testing::script& answer() { return there.on("POST", "/images/create"); }
    imposter::seen_request asked() { return there.requests("POST", "/images/create").at(0); }

    images all{on};
    std::vector<pull_progress> told;
};

TEST_F(Pull, TellsItsProgress)
{
    auto& lines = answer().stream();
    auto pulling = begin(pull());
    run(there.until_requests("POST", "/images/create", 1));
    lines.chunk(found).chunk(layer);
    settle();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told.back().layers, 1u);
    lines.chunk(downloading(100)).chunk(downloading(200));
    settle();
    EXPECT_EQ(told.size(), 1u) << "not more than ten times a second";
    time.advance(100ms);
    settle();
    ASSERT_EQ(told.size(), 2u) << "what was held back comes though nothing else does";
    EXPECT_EQ(told.back().bytes, 200);
    EXPECT_EQ(told.back().bytes_total, 1000);
    const auto line = std::string(complete);
    lines.chunk(line.substr(0, 20)).chunk(line.substr(20) + std::string(digest)).chunk(ended).end();
    EXPECT_TRUE(end(*pulling).has_value());
    EXPECT_EQ(told.back(), (pull_progress{"busybox:1", 1, 1, 1000, 1000}));
    EXPECT_EQ(asked().query_value("fromImage"), "busybox");
    EXPECT_EQ(asked().query_value("tag"), "1");
    EXPECT_FALSE(asked().fields.contains("X-Registry-Auth"));
}

TEST_F(Pull, NeedsNobodyToTellProgress)
{
    answer().stream().chunk(found).chunk(downloading(1)).chunk(complete).end();
    EXPECT_TRUE(run(all.pull("busybox:1", std::nullopt, nullptr, 60s, soon())).has_value());
}

struct target_case {
    std::string_view name;
    std::string reference;
    std::string image;
    std::string tag;
};
class PullTarget : public Pull, public ::testing::WithParamInterface<target_case> { };
TEST_P(PullTarget, IsTheReference)
{
    answer().stream().chunk(ended).end();
    ASSERT_TRUE(run(pull(GetParam().reference)).has_value());
    EXPECT_EQ(asked().query_value("fromImage"), GetParam().image);
    EXPECT_EQ(asked().query_value("tag"), GetParam().tag);
}
const std::string sha = "sha256:" + std::string(64, '0');
INSTANTIATE_TEST_SUITE_P(Cases, PullTarget,
    ::testing::Values(target_case{"latest", "python", "python", "latest"}, target_case{"digest", "python@" + sha, "python", sha},
        target_case{"digest_before_tag", "ghcr.io/a/b:3@" + sha, "ghcr.io/a/b", sha},
        target_case{"port", "localhost:5000/x:1", "localhost:5000/x", "1"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Pull, ShowsCredentials)
{
    answer().stream().chunk(ended).end();
    for (const std::string word : {"p", "pa", "pas", "p\xc3\xa4ss\"?>"})
        ASSERT_TRUE(run(pull("reg.example:5000/x:1", registry_credentials{"ada", word})).has_value());
    ASSERT_TRUE(run(pull("x:1", registry_credentials{"ada", "p"})).has_value());
    std::vector<std::string> words;
    std::vector<std::string> servers;
    for (const auto& each : there.requests("POST", "/images/create")) {
        const auto field = std::string(each.fields.find("X-Registry-Auth").value_or(""));
        EXPECT_EQ(field.size() % 4, 0u) << "engines do not take it without padding";
        EXPECT_EQ(field.find_first_of("+/="), std::string::npos);
        const auto auth = json::parse(base64url_decode(field).value_or("")).as_object();
        EXPECT_EQ(auth.at("username"), "ada");
        words.emplace_back(auth.at("password").as_string());
        servers.emplace_back(auth.at("serveraddress").as_string());
    }
    EXPECT_EQ(words, (std::vector<std::string>{"p", "pa", "pas", "p\xc3\xa4ss\"?>", "p"}));
    EXPECT_EQ(servers.at(0), "reg.example:5000");
    EXPECT_EQ(servers.back(), "https://index.docker.io/v1/");
}

TEST_F(Pull, OfWhatIsNoReferenceIsRefused)
{
    EXPECT_EQ(run(pull("Not An Image")).error().code, errc::bad_request);
    EXPECT_TRUE(there.requests().empty());
}

TEST_F(Pull, ThatStallsIsEnded)
{
    auto& lines = answer().stream();
    lines.chunk(found).chunk(layer).chunk(downloading(100));
    auto pulling = begin(pull());
    run(there.until_requests("POST", "/images/create", 1));
    settle();
    time.advance(59s);
    lines.chunk(downloading(200));
    settle();
    for (int i = 0; i < 59; ++i) {    // counting down is no progress
        lines.chunk(R"({"status":"Retrying in )" + std::to_string(i) + R"( seconds","progressDetail":{},"id":"aa"})");
        time.advance(1s);
        settle();
    }
    EXPECT_FALSE(pulling->done());
    time.advance(1s);
    const auto& got = end(*pulling);
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::timed_out);
    EXPECT_NE(got.error().detail.find("busybox:1"), std::string::npos) << got.error().detail;
    EXPECT_NE(got.error().detail.find("60000 ms"), std::string::npos) << got.error().detail;
    settle();
    EXPECT_EQ(told.back().bytes, 200);
    EXPECT_LE(there.connections(), 1u) << "that of the pull is closed, so that the engine gives it up";
}

TEST_F(Pull, ThatNeverBeginsIsEnded)
{
    answer();
    auto pulling = begin(pull());
    run(there.until_requests("POST", "/images/create", 1));
    time.advance(60s);
    EXPECT_EQ(end(*pulling).error().code, errc::timed_out);
}

TEST_F(Pull, ThatMovesEndsAtItsDeadline)
{
    auto& lines = answer().stream().chunk(found);
    auto pulling = begin(pull());
    run(there.until_requests("POST", "/images/create", 1));
    for (int i = 1; i < 20; ++i) {
        settle();
        ASSERT_FALSE(pulling->done()) << i;
        time.advance(30s);
        lines.chunk(downloading(i));
    }
    settle();
    time.advance(30s);
    const auto& got = end(*pulling);
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::timed_out);
    EXPECT_NE(got.error().detail.find("too long"), std::string::npos) << got.error().detail;
}

TEST_F(Pull, CanBeCancelled)
{
    answer().stream().chunk(found);
    asio::cancellation_signal cancel;
    std::exception_ptr failure;
    auto work = pull();
    asio::co_spawn(
        context, std::move(work), asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr e, result<void>) { failure = e; }));
    run(there.until_requests("POST", "/images/create", 1));
    settle();
    cancel.emit(asio::cancellation_type::terminal);
    settle();
    EXPECT_TRUE(failure);
    EXPECT_LE(there.connections(), 1u);
}

struct fault_case {
    std::string_view name;
    std::function<void(caisson::testing::script&)> answer;
    errc want;
    std::string_view says;
};
class PullFault : public Pull, public ::testing::WithParamInterface<fault_case> { };
TEST_P(PullFault, IsNamed)
{
    GetParam().answer(answer());
    const auto got = run(pull());
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, GetParam().want) << got.error().detail;
    EXPECT_TRUE(got.error().detail.starts_with("the image busybox:1 cannot be pulled: ")) << got.error().detail;
    EXPECT_NE(got.error().detail.find(GetParam().says), std::string::npos) << got.error().detail;
    EXPECT_LT(got.error().detail.size(), 2'000u);
}
INSTANTIATE_TEST_SUITE_P(Cases, PullFault,
    ::testing::Values(fault_case{"no_registry",
                          [](auto& to) {
                              to.fails(
                                  500, "Get \"https://registry-1.docker.io/v2/\": dial tcp: lookup registry-1.docker.io: no such host");
                          },
                          errc::runtime_unavailable, "no such host"},
        fault_case{"no_repository",
            [](auto& to) {
                to.fails(404, "pull access denied for busybox, repository does not exist or may require 'docker login': denied: requested "
                              "access to the resource is denied");
            },
            errc::not_found, "docker login"},
        fault_case{"no_tag", [](auto& to) { to.fails(404, "manifest for busybox:1 not found: manifest unknown: manifest unknown"); },
            errc::not_found, "manifest unknown"},
        fault_case{"wrong_password", [](auto& to) { to.fails(500, "Get \"https://r/v2/\": unauthorized: incorrect username or password"); },
            errc::forbidden, "incorrect username or password"},
        fault_case{"error_below_200",
            [](auto& to) {
                to.stream()
                    .chunk(found)
                    .chunk(downloading(5))
                    .chunk(R"({"errorDetail":{"message":"write: no space left on device"},)"
                           R"("error":"write: no space left on device"})")
                    .end();
            },
            errc::runtime_unavailable, "no space left on device"},
        fault_case{"error_and_then_silence",
            [](auto& to) { to.stream().chunk(found).chunk(R"({"error":"unauthorized: authentication required"})"); }, errc::forbidden,
            "authentication required"},
        fault_case{"huge_error", [](auto& to) { to.stream().chunk(R"({"error":")" + std::string(500'000, 'x') + R"("})").end(); },
            errc::runtime_unavailable, "xxx"},
        fault_case{
            "closed_in_the_middle", [](auto& to) { to.stream().chunk(found).chunk(downloading(5)).cut(); }, errc::runtime_unavailable, ""},
        fault_case{"closed_within_a_line", [](auto& to) { to.stream().chunk("{\"status\":").cut(); }, errc::runtime_unavailable, ""},
        fault_case{"ended_within_a_line", [](auto& to) { to.stream().chunk("{\"status\":").end(); }, errc::runtime_unavailable,
            "ends within a line"},
        fault_case{"closed_at_once", [](auto& to) { to.cut(); }, errc::runtime_unavailable, ""},
        fault_case{"garbage", [](auto& to) { to.stream().chunk("<html>hello").end(); }, errc::runtime_unavailable, ""},
        fault_case{
            "foreign_json", [](auto& to) { to.stream().chunk(R"({"status":5})").end(); }, errc::runtime_unavailable, "cannot be read"},
        fault_case{"array", [](auto& to) { to.stream().chunk("[1,2]").end(); }, errc::runtime_unavailable, ""},
        fault_case{"endless_line",
            [](auto& to) {
                to.stream().chunk("{\"status\":\"");
                for (int i = 0; i < 40; ++i)
                    to.chunk(std::string(100'000, 'x'));
            },
            errc::runtime_unavailable, ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Pull, TakesFloodsOfLines)
{
    auto& lines = answer().stream().chunk(found);
    std::string many;
    for (int i = 0; i < 20'000; ++i)
        many += downloading(i % 1000);
    lines.chunk(many).chunk(complete).end();
    EXPECT_TRUE(run(pull()).has_value());
    EXPECT_LE(told.size(), 2u);
    EXPECT_EQ(told.back().layers_done, 1u);
}

}    // namespace
}    // namespace caisson::docker
