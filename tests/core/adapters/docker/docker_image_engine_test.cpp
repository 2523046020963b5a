#include "core/adapters/docker/docker_image_engine.hpp"

#include "tests/core/adapters/docker/fixture.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;

class DockerImageEngine : public imposter_test {
protected:
    docker_image_engine images{on};
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

}    // namespace
}    // namespace caisson::docker
