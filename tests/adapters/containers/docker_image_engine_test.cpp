#include "adapters/containers/docker_image_engine.hpp"

#include "core/async/task_group.hpp"
#include "tests/adapters/containers/fixture.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;

class DockerImageEngine : public imposter_test {
protected:
    docker_image_engine images{on};
};

std::string event_line(std::string_view action, std::string_view image)
{
    const json::object line{{"Type", "image"}, {"Action", action}, {"Actor", {{"ID", image}, {"Attributes", {{"name", "busybox"}}}}},
        {"timeNano", 1'700'000'000'000'000'001}};
    return json::serialize(line) + "\n";
}

/// What becomes of images, as the engine tells it.
class DockerImageChanges : public DockerImageEngine {
protected:
    void TearDown() override
    {
        run(tasks.stop());
        DockerImageEngine::TearDown();
    }
    void follow()
    {
        image_listener to{[this] { seen.emplace_back("begun"); }, [this] { seen.emplace_back("changed"); },
            [this](const error&) { seen.emplace_back("broke"); }};
        tasks.spawn("changes", images.follow(std::move(to)));
        settle();
    }

    null_logger silent;
    task_group tasks{context.get_executor(), silent};
    std::vector<std::string> seen;
};

TEST_F(DockerImageEngine, ListsWhatIsThereButServersOwnTrialImages)
{
    there.on("GET", "/images/json").json(200, json::parse(R"([
        {"Id":"sha256:01","RepoTags":["busybox:1"],"Labels":null},
        {"Id":"sha256:02","RepoTags":["caisson-trial:sbx_1"],"Labels":{"caisson.instance":"one","caisson.runtime":"docker"}},
        {"Id":"sha256:03","RepoTags":["caisson-trial:sbx_2"],"Labels":{"caisson.instance":"another"}},
        {"Id":"sha256:04","RepoTags":["caisson-trial:sbx_3","kept:1"],"Labels":{"caisson.instance":"one"}},
        {"Id":"sha256:05","RepoTags":["caisson-trial:1"],"Labels":{"a":"b"}},
        {"Id":"sha256:06","RepoTags":null,"Labels":{"caisson.instance":"one"}}])"));
    const auto found = run(images.list(soon()));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    std::vector<std::string> ids;
    for (const auto& each : *found)
        ids.push_back(each.id);
    EXPECT_THAT(ids, ElementsAre("sha256:01", "sha256:04", "sha256:05", "sha256:06")) << "a foreign one may be called so";
}

TEST_F(DockerImageChanges, AreHeardOneByOne)
{
    auto& answer = there.on("GET", "/events").stream();
    follow();
    EXPECT_THAT(seen, ElementsAre("begun"));
    answer.chunk(event_line("tag", "sha256:01") + event_line("untag", "sha256:02"));
    settle();
    answer.chunk(event_line("delete", "sha256:02"));
    settle();
    EXPECT_THAT(seen, ElementsAre("begun", "changed", "changed", "changed"));
    const auto asked = there.requests("GET", "/events");
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].query_value("filters"), R"({"type":["image"]})");
}

TEST_F(DockerImageChanges, ThatAreNotHeardAreSaidSo)
{
    there.on("GET", "/events").stream().cut();
    there.on("GET", "/events").stream();
    follow();
    EXPECT_THAT(seen, ElementsAre("begun", "broke"));
    time.advance(100ms);
    settle();
    EXPECT_THAT(seen, ElementsAre("begun", "broke", "begun"));
}

TEST_F(DockerImageChanges, AreNotHeardFromAnEngineThatIsAway)
{
    there.on("GET", "/events").stream();
    there.go_down();
    follow();
    EXPECT_THAT(seen, ElementsAre("broke"));
    there.come_up();
    time.advance(100ms);
    settle();
    EXPECT_THAT(seen, ElementsAre("broke", "begun"));
}

}    // namespace
}    // namespace caisson::docker
