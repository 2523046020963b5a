#include "adapters/containers/docker_image_engine.hpp"
#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "tests/adapters/containers/real_engine.hpp"

namespace caisson::docker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RealEngine, AnImageIsImportedListedAndRemoved)
{
    const auto name = mark + "/nested/name:v1.0";
    text_source body(busybox_tar());
    const auto made_it =
        run(here->store.import(name, body, {"ENV A=\"b c\"", "LABEL k=v", "ENTRYPOINT [\"/bin/sh\", \"-c\"]", "VOLUME /data"}));
    ASSERT_TRUE(made_it.has_value()) << made_it.error().detail;
    const auto info = run(here->store.inspect(name, soon()));
    ASSERT_TRUE(info.has_value()) << info.error().detail;
    EXPECT_THAT(info->tags, ElementsAre(name));
    EXPECT_TRUE(info->id.starts_with("sha256:"));
    EXPECT_THAT(info->environment, ElementsAre("A=b c"));
    EXPECT_THAT(info->entrypoint, ElementsAre("/bin/sh", "-c"));
    EXPECT_THAT(info->volumes, ElementsAre("/data"));
    EXPECT_EQ(info->labels.at("k"), "v");
    EXPECT_GT(info->size_bytes, 1'000'000);
    EXPECT_GT(info->created_at_ms, 1'600'000'000'000);
    EXPECT_EQ(info->os, "linux");
    EXPECT_EQ(run(here->store.inspect(info->id, soon())).value().id, info->id);

    const auto is_it = [&](const image_info& each) { return each.tags == std::vector<std::string>{name} && each.id == info->id; };
    EXPECT_EQ(std::ranges::count_if(run(here->store.list(soon())).value(), is_it), 1);
    EXPECT_TRUE(run(here->store.remove(name, soon())).has_value());
    EXPECT_EQ(run(here->store.remove(name, soon())).error().code, errc::not_found);
    EXPECT_EQ(run(here->store.inspect(name, soon())).error().code, errc::not_found);
}

task<std::string> read_body(net::body_reader* from)
{
    std::string out;
    while (true) {
        auto piece = co_await from->read();
        if (!piece.value())
            co_return out;
        out += **piece;
    }
}

TEST_F(RealEngine, ASavedImageIsLoaded)
{
    const auto name = mark + "-saved:1";
    text_source body(busybox_tar());
    ASSERT_TRUE(run(here->store.import(name, body, {})).has_value());
    auto saved = run(here->on.open_stream("GET", "/images/" + escaped(name) + "/get", {}, soon()));
    ASSERT_TRUE(saved.has_value()) << saved.error().detail;
    text_source tar(run(read_body(saved->get())));
    EXPECT_TRUE(run(here->store.remove(name, soon())).has_value());
    const auto names = run(here->store.load(tar));
    ASSERT_TRUE(names.has_value()) << names.error().detail;
    EXPECT_THAT(*names, ElementsAre(name));
    EXPECT_TRUE(run(here->store.remove(name, soon())).has_value());
}

/// What an engine said of its images.
struct heard_changes {
    explicit heard_changes(io_executor executor) : news(executor) { }

    image_listener listener()
    {
        return {[this] { is_heard = true, news.notify_all(); }, [this] { ++count, news.notify_all(); },
            [this](const error&) { broken = true; }};
    }
    task<> past(std::size_t known)
    {
        while (!is_heard || count <= known) {
            const auto seen = news.version();
            co_await news.wait_past(seen);
        }
    }
    task<> begun()
    {
        while (!is_heard) {
            const auto seen = news.version();
            co_await news.wait_past(seen);
        }
    }

    notifier news;
    std::size_t count = 0;
    bool is_heard = false;
    bool broken = false;
};

TEST_F(RealEngine, TellsOfNamesThatMoveAndGo)
{
    heard_changes heard(here->context.get_executor());
    docker_image_engine changing(here->on);
    null_logger silent;
    task_group tasks(here->context.get_executor(), silent);
    tasks.spawn("changes", changing.follow(heard.listener()));
    const auto came = [&](task<> what) { return run(with_deadline(here->time, soon(), std::move(what))).has_value(); };
    EXPECT_TRUE(came(heard.begun()));
    const auto name = mark + "-moved";
    auto before = heard.count;
    EXPECT_TRUE(run(here->on.call("POST", "/images/" + escaped(image) + "/tag?repo=" + name + "&tag=1", soon())).has_value());
    EXPECT_TRUE(came(heard.past(before))) << "it has another name";
    before = heard.count;
    EXPECT_TRUE(run(here->store.remove(name + ":1", soon())).has_value());
    EXPECT_TRUE(came(heard.past(before))) << "the name is gone";
    EXPECT_FALSE(heard.broken);
    run(tasks.stop());
}

TEST_F(RealEngine, AnImageInUseStays)
{
    const auto id = create(spec_of({"/bin/true"}));
    const auto refused = run(here->store.remove(image, soon()));
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::conflict);
}

TEST_F(RealEngine, WhatIsNoTarIsRefused)
{
    text_source imported(std::string(3'000, 'x'));
    const auto made_it = run(here->store.import(mark + ":garbage", imported, {}));
    ASSERT_TRUE(made_it.has_error());
    EXPECT_EQ(made_it.error().code, errc::bad_request) << made_it.error().detail;
    text_source loaded(std::string(3'000, 'x'));
    const auto names = run(here->store.load(loaded));
    ASSERT_TRUE(names.has_error());
    EXPECT_EQ(names.error().code, errc::bad_request) << names.error().detail;
    text_source well(busybox_tar());
    EXPECT_EQ(run(here->store.import(mark + ":garbage", well, {"FROB x"})).error().code, errc::bad_request);
    EXPECT_EQ(run(here->store.inspect(mark + ":garbage", soon())).error().code, errc::not_found);
}

TEST_F(RealEngine, APullFromNowhereSaysSo)
{
    const auto got = run(here->store.pull("127.0.0.1:1/x:1", registry_credentials{"ada", "secret"}, nullptr, 60s, soon()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable) << got.error().detail;
    EXPECT_THAT(got.error().detail, HasSubstr("127.0.0.1:1/x:1"));
    EXPECT_THAT(got.error().detail, Not(HasSubstr("secret")));
}

}    // namespace
}    // namespace caisson::docker
