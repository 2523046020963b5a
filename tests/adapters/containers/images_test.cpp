#include "adapters/engine/images.hpp"
#include "adapters/engine/text_source.hpp"
#include "tests/adapters/containers/fixture.hpp"

#include <boost/json/parse.hpp>

namespace caisson::docker {
namespace {

namespace json = boost::json;

class Images : public imposter_test {
protected:
    caisson::testing::script& answer() { return there.on("POST", "/images/create"); }
    imposter::seen_request asked() { return there.requests("POST", "/images/create").at(0); }

    images all{on};
};

TEST_F(Images, AreInspected)
{
    there.on("GET", "/images/busybox%3A1/json").json(200, json::parse(R"({"Id":"sha256:05","RepoTags":["busybox:1"],
        "RepoDigests":["busybox@sha256:aa"],"Created":"2026-11-22T06:58:37.750517932Z","Architecture":"amd64","Os":"linux","Size":1982375,
        "Config":{"User":"nobody","Env":["PATH=/bin"],"Entrypoint":["/x","y"],"Labels":{"a":"b"},"Volumes":{"/data":{}}}})"));
    const auto got = run(all.inspect("busybox:1", soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->id, "sha256:05");
    EXPECT_EQ(got->tags, std::vector<std::string>{"busybox:1"});
    EXPECT_EQ(got->digests, std::vector<std::string>{"busybox@sha256:aa"});
    EXPECT_EQ(got->created_at_ms, 1'795'330'717'750);
    EXPECT_EQ(got->architecture, "amd64");
    EXPECT_EQ(got->os, "linux");
    EXPECT_EQ(got->size_bytes, 1'982'375);
    EXPECT_EQ(got->user, "nobody");
    EXPECT_EQ(got->environment, std::vector<std::string>{"PATH=/bin"});
    EXPECT_EQ(got->entrypoint, (std::vector<std::string>{"/x", "y"}));
    EXPECT_EQ(got->volumes, std::vector<std::string>{"/data"});
    EXPECT_EQ(got->labels.at("a"), "b");
}

TEST_F(Images, MayHaveNothingToTell)
{
    there.on("GET", "/images/x/json").json(200, json::parse(R"({"Id":"sha256:05","RepoTags":["<none>:<none>"],"RepoDigests":null,
        "Created":"0001-01-01T00:00:00Z","Config":{"User":"","Env":null,"Entrypoint":null,"Labels":null,"Volumes":null}})"));
    const auto got = run(all.inspect("x", soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_TRUE(got->tags.empty());
    EXPECT_EQ(got->created_at_ms, 0);
    EXPECT_TRUE(got->environment.empty());
}

TEST_F(Images, AreNotThere)
{
    there.on("GET", "/images/x/json").fails(404, "No such image: x");
    EXPECT_EQ(run(all.inspect("x", soon())).error().code, errc::not_found);
    there.on("DELETE", "/images/x").fails(404, "No such image: x");
    EXPECT_EQ(run(all.remove("x", soon())).error().code, errc::not_found);
}

TEST_F(Images, AreListed)
{
    there.on("GET", "/images/json").json(200, json::parse(R"([{"Containers":-1,"Created":1795330717,"Id":"sha256:05","Labels":null,
        "RepoDigests":["<none>@<none>"],"RepoTags":["a:1","b:1"],"Size":12},{"Id":"sha256:06","Created":1,"RepoTags":null,"Size":1}])"));
    const auto got = run(all.list(soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    ASSERT_EQ(got->size(), 2u);
    EXPECT_EQ(got->at(0).tags, (std::vector<std::string>{"a:1", "b:1"}));
    EXPECT_TRUE(got->at(0).digests.empty());
    EXPECT_EQ(got->at(0).created_at_ms, 1'795'330'717'000);
    EXPECT_EQ(got->at(1).id, "sha256:06");
}

TEST_F(Images, AreListedByTheirLabels)
{
    there.on("GET", "/images/json").json(200, json::array());
    EXPECT_TRUE(run(all.list(soon(), {"a=b", "c=d"})).value().empty());
    EXPECT_EQ(there.requests("GET", "/images/json").at(0).query_value("filters"), R"({"label":["a=b","c=d"]})");
}

TEST_F(Images, AreRemovedUnlessTheyAreUsed)
{
    there.on("DELETE", "/images/a%3A1").json(200, json::parse(R"([{"Untagged":"a:1"}])"));
    EXPECT_TRUE(run(all.remove("a:1", soon())).has_value());
    there.on("DELETE", "/images/b%3A1").fails(409, "conflict: unable to remove repository reference \"b:1\" (must force)");
    EXPECT_EQ(run(all.remove("b:1", soon())).error().code, errc::conflict);
}

TEST_F(Images, AreImportedFromATar)
{
    answer().whole(200, {{"Content-Type", "application/json"}}, R"({"status":"sha256:05"})");
    text_source tar(std::string(1'000'000, 't'));
    const auto got = run(all.import("reg:5000/a/b:1", tar, {"ENV PATH=/usr/bin", "USER 1:1"}));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(asked().query_value("fromSrc"), "-");
    EXPECT_EQ(asked().query_value("repo"), "reg:5000/a/b");
    EXPECT_EQ(asked().query_value("tag"), "1");
    std::vector<std::string> changes;
    for (const auto& [name, value] : asked().query)
        if (name == "changes")
            changes.push_back(value);
    EXPECT_EQ(changes, (std::vector<std::string>{"ENV PATH=/usr/bin", "USER 1:1"}));
    EXPECT_EQ(asked().body.size(), 1'000'000u);
}

struct archive_case {
    std::string_view name;
    int status;
    std::string body;
    errc want;
};
class ArchiveFault : public Images, public ::testing::WithParamInterface<archive_case> { };
TEST_P(ArchiveFault, IsNamed)
{
    const auto& c = GetParam();
    answer().whole(c.status, {}, c.body);
    text_source imported("tar");
    const auto got = run(all.import("x:1", imported, {}));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, c.want) << got.error().detail;
    there.on("POST", "/images/load").whole(c.status, {}, c.body);
    text_source loaded("tar");
    const auto names = run(all.load(loaded));
    ASSERT_TRUE(names.has_error());
    EXPECT_EQ(names.error().code, c.want) << names.error().detail;
}
INSTANTIATE_TEST_SUITE_P(Cases, ArchiveFault,
    ::testing::Values(
        archive_case{"no_tar", 500, R"j({"message":"Error processing tar file(exit status 1): archive/tar: invalid tar header"})j",
            errc::bad_request},
        archive_case{"no_tar_below_200", 200,
            R"j({"errorDetail":{"message":"Error processing tar file(exit status 1): unexpected EOF"},"error":"e"})j", errc::bad_request},
        archive_case{"no_change", 400, R"({"message":"frob is not a valid change command"})", errc::bad_request},
        archive_case{"full_disk", 200, R"({"error":"write /x: no space left on device"})", errc::runtime_unavailable},
        archive_case{"garbage", 200, "hello", errc::runtime_unavailable},
        archive_case{"half", 200, R"({"status":)", errc::runtime_unavailable},
        archive_case{"foreign", 200, R"({"errorDetail":1})", errc::runtime_unavailable}),
    [](const auto& info) { return std::string(info.param.name); });

const std::string sha = "sha256:" + std::string(64, '0');

TEST_F(Images, AreImportedByANameAlone)
{
    text_source tar("tar");
    EXPECT_EQ(run(all.import("x@" + sha, tar, {})).error().code, errc::bad_request);
    EXPECT_EQ(run(all.import("X", tar, {})).error().code, errc::bad_request);
    EXPECT_TRUE(there.requests().empty());
}

TEST_F(Images, AreLoaded)
{
    there.on("POST", "/images/load").whole(200, {}, R"({"status":"Loading layer","progressDetail":{"current":1},"id":"aa"}
        {"stream":"Loaded image: a/b:1\n"}{"stream":"Loaded image ID: sha256:05\n"}{"stream":"hello"})");
    text_source tar("tar");
    EXPECT_EQ(run(all.load(tar)).value(), (std::vector<std::string>{"a/b:1", "sha256:05"}));
}

}    // namespace
}    // namespace caisson::docker
