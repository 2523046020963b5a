#include "adapters/net/file_source.hpp"
#include "tests/adapters/net/fixture.hpp"

#include <fstream>

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

/// Gives its pieces one after another, then what `fails` says.
class pieces final : public body_source {
public:
    pieces(std::vector<std::string> list, std::uint64_t size) : list_(std::move(list)), size_(size) { }
    std::uint64_t size_bytes() const override { return size_; }
    task<result<shared_bytes>> read() override
    {
        if (given == list_.size())
            co_return fails ? result<shared_bytes>(*fails) : result<shared_bytes>(shared_bytes());
        co_return shared_bytes(list_[given++]);
    }
    std::size_t given = 0;
    std::optional<error> fails;

private:
    std::vector<std::string> list_;
    std::uint64_t size_;
};

task<> count_body(exchange& one, std::string* length)
{
    *length = one.request().fields.find("Content-Length").value_or("none");
    std::size_t total = 0;
    while (true) {
        auto piece = co_await one.body().read();
        if (piece.has_error())
            co_return;
        if (piece->empty())
            break;
        total += piece->size();
    }
    auto answer = ok(std::to_string(total));
    co_await one.respond(std::move(answer));
}

task<> refuse_early(exchange& one)
{
    response answer{403, {}, "not you"};
    co_await one.respond(std::move(answer));
}

task<> answer_with(exchange& one, int status, std::size_t bytes)
{
    response answer{status, {{"Location", "http://127.0.0.1:1/elsewhere"}}, std::string(bytes, 'a')};
    co_await one.respond(std::move(answer));
}

/// Takes nothing of the body until it is let.
task<> hold(exchange& one, notifier* go)
{
    co_await go->wait_past(0);
    auto answer = ok("late");
    co_await one.respond(std::move(answer));
}

class Transfer : public server_test {
protected:
    void begin(client_options own = {})
    {
        start();
        user.emplace(context.get_executor(), time, url{at.address, at.port}, std::move(own));
        answers.on["/stream"] = [this](exchange& one) { return count_body(one, &length); };
        answers.on["/stream/no"] = refuse_early;
    }
    static request to(std::string method, std::string target)
    {
        request out;
        out.method = std::move(method);
        out.target = std::move(target);
        return out;
    }
    result<response> upload(std::string target, body_source& body, transfer_options how = {})
    {
        return run(user->upload(to("PUT", std::move(target)), body, std::move(how)));
    }
    result<response> download(std::string target, std::string* into)
    {
        auto sink = [into](shared_bytes piece) { return keep(std::move(piece), into); };
        transfer_options how;
        how.progress = [this](std::uint64_t done) { seen.push_back(done); };
        return run(user->download(to("GET", std::move(target)), std::move(sink), std::move(how)));
    }
    static task<result<void>> keep(shared_bytes piece, std::string* into)
    {
        *into += piece.view();
        co_return result<void>();
    }
    std::optional<client> user;
    std::string length;
    std::vector<std::uint64_t> seen;
};

TEST_F(Transfer, UploadsPieceByPieceWithItsLength)
{
    begin();
    pieces body({std::string(300'000, 'a'), "bc", std::string(700'000, 'd')}, 1'000'002);
    transfer_options how;
    how.progress = [this](std::uint64_t done) { seen.push_back(done); };
    const auto got = upload("/stream", body, how);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->body, "1000002");
    EXPECT_EQ(length, "1000002");
    ASSERT_GE(seen.size(), 5u);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_EQ(seen.back(), 1'000'002u);
}

TEST_F(Transfer, UploadsNothing)
{
    begin();
    pieces body({}, 0);
    EXPECT_EQ(upload("/stream", body)->body, "0");
    EXPECT_EQ(length, "0");
}

TEST_F(Transfer, ARefusalEndsTheSending)
{
    begin();
    pieces body(std::vector<std::string>(2'000, std::string(100'000, 'a')), 200'000'000);
    const auto got = upload("/stream/no", body);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->status, 403);
    EXPECT_EQ(got->body, "not you");
    EXPECT_LT(body.given, 1'000u) << "the rest was not sent";
}

struct source_case {
    std::string_view name;
    std::vector<std::string> list;
    std::uint64_t size;
    std::optional<error> fails;
    std::string_view says;
};
class TransferSource : public Transfer, public ::testing::WithParamInterface<source_case> { };
TEST_P(TransferSource, ThatDoesNotKeepItsWordEndsTheUpload)
{
    const auto& c = GetParam();
    begin();
    pieces body(c.list, c.size);
    body.fails = c.fails;
    const auto got = upload("/stream", body);
    ASSERT_TRUE(got.has_error());
    EXPECT_NE(got.error().detail.find(c.says), std::string::npos) << got.error().detail;
    settle();
    EXPECT_EQ(web->connections(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Cases, TransferSource,
    ::testing::Values(source_case{"short", {"abc"}, 4, {}, "announced"}, source_case{"long", {"abc"}, 2, {}, "announced"},
        source_case{"failing", {"abc"}, 4, error{errc::not_found, "the disk is gone"}, "the disk is gone"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Transfer, AnUploadThatIsNotTakenTimesOut)
{
    begin();
    notifier go(context.get_executor());
    answers.on["/stream/hold"] = [&](exchange& one) { return hold(one, &go); };
    pieces body(std::vector<std::string>(400, std::string(256 << 10, 'a')), 400ull * (256 << 10));
    std::optional<result<response>> got;
    auto sending = user->upload(to("PUT", "/stream/hold"), body);
    asio::co_spawn(context, std::move(sending), [&](std::exception_ptr, result<response> value) { got = std::move(value); });
    settle();
    EXPECT_FALSE(got);
    time.advance(61s);
    settle();
    ASSERT_TRUE(got);
    ASSERT_TRUE(got->has_error());
    EXPECT_EQ(got->error().code, errc::timed_out);
    go.notify_all();
    settle();
}

TEST_F(Transfer, DownloadsToASink)
{
    begin();
    answers.on["/file"] = [](exchange& one) { return answer_with(one, 200, 1'000'000); };
    std::string bytes;
    const auto got = download("/file", &bytes);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->body, "");
    EXPECT_EQ(bytes, std::string(1'000'000, 'a'));
    EXPECT_EQ(seen.back(), 1'000'000u);
}

struct status_case {
    std::string_view name;
    int status;
    std::size_t bytes;
    std::size_t want;
};
class DownloadStatus : public Transfer, public ::testing::WithParamInterface<status_case> { };
TEST_P(DownloadStatus, OtherAnswersDoNotReachTheSink)
{
    const auto& c = GetParam();
    begin();
    answers.on["/file"] = [&c](exchange& one) { return answer_with(one, c.status, c.bytes); };
    std::string bytes;
    const auto got = download("/file", &bytes);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->status, c.status);
    EXPECT_EQ(got->body.size(), c.want);
    EXPECT_EQ(bytes, "");
    EXPECT_EQ(answers.handled, 1u);
}
INSTANTIATE_TEST_SUITE_P(Cases, DownloadStatus,
    ::testing::Values(
        status_case{"redirect", 302, 5, 5}, status_case{"missing", 404, 100, 100}, status_case{"endless_error", 500, 300'000, 65'536}),
    [](const auto& info) { return std::string(info.param.name); });

task<result<void>> full(shared_bytes) { co_return error{errc::runtime_unavailable, "no space left"}; }

TEST_F(Transfer, ASinkThatFailsEndsTheDownload)
{
    begin();
    answers.on["/file"] = [](exchange& one) { return answer_with(one, 200, 10'000'000); };
    const auto got = run(user->download(to("GET", "/file"), full));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().detail, "no space left");
    settle();
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(Transfer, SendsFilesAsTheyWereAtTheOpening)
{
    begin();
    const auto path = std::filesystem::temp_directory_path() / ("caisson-source-" + std::to_string(::getpid()));
    std::ofstream(path) << std::string(600'000, 'x');
    worker_pool disk("disk", 1);
    auto source = file_source::open(path, disk);
    ASSERT_TRUE(source.has_value()) << source.error().detail;
    std::ofstream(path, std::ios::app) << "more";
    EXPECT_EQ(upload("/stream", **source)->body, "600000");

    auto cut = file_source::open(path, disk);
    std::filesystem::resize_file(path, 300'000);
    const auto got = upload("/stream", **cut);
    ASSERT_TRUE(got.has_error());
    EXPECT_NE(got.error().detail.find("became shorter"), std::string::npos) << got.error().detail;
    std::filesystem::remove(path);
    EXPECT_EQ(file_source::open(path, disk).error().code, errc::not_found);
    EXPECT_EQ(file_source::open("/tmp", disk).error().code, errc::bad_request);
}

task<result<std::vector<asio::ip::address>>> only(std::vector<std::string> list, std::string host)
{
    if (list.empty())
        co_return error{errc::forbidden, host + " is not allowed"};
    std::vector<asio::ip::address> out;
    for (const auto& each : list)
        out.push_back(asio::ip::make_address(each));
    co_return out;
}

TEST_F(Transfer, ConnectsToTheAddressesThatAreFoundForItOnly)
{
    start();
    client_options own;
    own.addresses = [](std::string host) { return only({"127.0.0.1"}, std::move(host)); };
    user.emplace(context.get_executor(), time, url{"no-such-host.invalid", at.port}, own);
    EXPECT_EQ(run(user->send(to("GET", "/echo"), time.steady_now() + 1min))->status, 200);
    own.addresses = [](std::string host) { return only({}, std::move(host)); };
    user.emplace(context.get_executor(), time, url{"127.0.0.1", at.port}, own);
    const auto got = run(user->send(to("GET", "/echo"), time.steady_now() + 1min));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::forbidden);
    EXPECT_EQ(got.error().detail, "127.0.0.1 is not allowed");
}

}    // namespace
}    // namespace caisson::net
