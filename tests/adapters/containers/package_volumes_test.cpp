#include "adapters/containers/package_volumes.hpp"

#include "tests/adapters/containers/fixture.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace caisson::docker {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* long_ago = "2026-11-22T07:00:00Z";

task<result<void>> bring_both(package_volumes* of, std::string tree, container_spec helper)
{
    auto one = co_await of->bring(std::move(tree), std::move(helper));
    co_return one.has_error() ? result<void>(one.error()) : result<void>();
}

class PackageVolumes : public imposter_test {
protected:
    PackageVolumes()
    {
        add_tree("ten_1", "aa");
        there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
        there.on("PUT", "/containers/c1/archive").empty(200);
        there.on("DELETE", "/containers/c1").empty(204);
    }
    void add_tree(const std::string& tenant, const std::string& digest)
    {
        fs::create_directories(tree(tenant, digest));
        std::ofstream(tree(tenant, digest) + "/SKILL.md") << "text";
    }
    std::string tree(const std::string& tenant, const std::string& digest) const
    {
        return scratch.path() + "/" + tenant + "/" + digest + "/tree";
    }
    /// What the engine has from now on.
    void has(const std::vector<std::string>& names, const char* made_at = long_ago)
    {
        json::array all;
        for (const auto& each : names)
            all.push_back(json::object{{"Name", each}, {"CreatedAt", made_at}});
        there.forget("GET", "/volumes");
        there.on("GET", "/volumes").json(200, json::object{{"Volumes", std::move(all)}});
        for (const auto& each : names) {
            there.forget("DELETE", "/volumes/" + each);
            there.on("DELETE", "/volumes/" + each).empty(204);
        }
    }
    auto bring(const std::string& path) { return run(volumes.bring(path, helper())); }
    container_spec helper() const
    {
        container_spec out;
        out.name = "caisson-sbx_1";
        out.image = "busybox";
        return out;
    }
    std::size_t removals(const std::string& name) { return there.requests("DELETE", "/volumes/" + name).size(); }
    std::vector<std::string> mounted()
    {
        std::vector<std::string> out;
        for (const auto& each : there.requests("POST", "/containers/create")) {
            const auto body = json::parse(each.body);
            for (const auto& mount : body.at("HostConfig").at("Mounts").as_array())
                out.emplace_back(mount.at("Source").as_string());
        }
        return out;
    }
    std::size_t fills() { return there.requests("PUT", "/containers/c1/archive").size(); }

    caisson::testing::scratch_directory scratch;
    null_logger log;
    worker_pool workers{"work", 1};
    package_volumes volumes{context.get_executor(), on, log, workers, {.instance = "i1", .trees = scratch.path(), .max_bytes = 5'000}};
    const std::string volume = "caisson-package-i1-ten_1.aa.tree";
    const std::string mark = volume + ".whole-2048";    // a head, a block, the end
};

TEST_F(PackageVolumes, AreFilledOnceAndMarkedAfterwards)
{
    has({});
    const auto one = bring(tree("ten_1", "aa"));
    ASSERT_TRUE(one.has_value()) << one.error().detail;
    EXPECT_EQ((*one)->volume(), volume);
    EXPECT_THAT(mounted(), ElementsAre(volume, mark));
    EXPECT_EQ(fills(), 1u);
    EXPECT_THAT(there.requests("POST", "/containers/c1/start"), IsEmpty());
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(2)) << "the helpers";
    has({volume, mark});
    EXPECT_TRUE(bring(tree("ten_1", "aa")).has_value());
    EXPECT_EQ(fills(), 1u);
}

TEST_F(PackageVolumes, ThatAnEarlierServerFilledAreUsed)
{
    has({volume, mark});
    ASSERT_TRUE(bring(tree("ten_1", "aa")).has_value());
    EXPECT_EQ(fills(), 0u);
    EXPECT_EQ(there.requests("GET", "/volumes").at(0).query_value("filters"), "{\"name\":[\"" + volume + "\"]}");
}

/// What is there, which is not to be used.
struct damage_case {
    std::string_view name;
    std::vector<std::string> there;    // behind the volume's name
};
void PrintTo(const damage_case& of, std::ostream* out) { *out << of.name; }
class PackageVolumeDamage : public PackageVolumes, public ::testing::WithParamInterface<damage_case> { };

TEST_P(PackageVolumeDamage, IsRemovedAndFilledAnew)
{
    std::vector<std::string> names;
    for (const auto& each : GetParam().there)
        names.push_back(volume + each);
    has(names);
    const auto one = bring(tree("ten_1", "aa"));
    ASSERT_TRUE(one.has_value()) << one.error().detail;
    for (const auto& each : names)
        EXPECT_EQ(removals(each), 1u) << each;
    EXPECT_EQ(fills(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Cases, PackageVolumeDamage,
    ::testing::Values(damage_case{"half_filled", {""}}, damage_case{"mark_alone", {".whole-2048"}},
        damage_case{"two_marks", {"", ".whole-2048", ".whole-4096"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(PackageVolumes, TwoAtOnceFillOnce)
{
    has({});
    there.forget("PUT", "/containers/c1/archive");
    auto& filling = there.on("PUT", "/containers/c1/archive");
    const auto first = begin(bring_both(&volumes, tree("ten_1", "aa"), helper()));
    run(there.until_requests("PUT", "/containers/c1/archive", 1));
    const auto second = begin(bring_both(&volumes, tree("ten_1", "aa"), helper()));
    settle();
    EXPECT_FALSE(second->done());
    has({volume, mark});
    filling.empty(200);
    EXPECT_TRUE(end(*first).has_value());
    EXPECT_TRUE(end(*second).has_value());
    EXPECT_EQ(fills(), 1u);
}

TEST_F(PackageVolumes, OneWhoseFillFailsIsNotLeft)
{
    has({});
    there.forget("PUT", "/containers/c1/archive");
    there.on("PUT", "/containers/c1/archive").fails(500, "no space left on device");
    there.on("DELETE", "/volumes/" + volume).empty(204);
    const auto one = bring(tree("ten_1", "aa"));
    ASSERT_TRUE(one.has_error());
    EXPECT_THAT(one.error().detail, HasSubstr("no space left"));
    EXPECT_EQ(removals(volume), 1u);
    EXPECT_THAT(mounted(), ElementsAre(volume)) << "no mark";
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(1));
}

TEST_F(PackageVolumes, AKilledServersHelperIsWaitedFor)
{
    has({volume});
    there.forget("DELETE", "/volumes/" + volume);
    there.on("DELETE", "/volumes/" + volume).fails(409, "volume is in use - [c7]");
    there.on("DELETE", "/volumes/" + volume).empty(204);
    const auto one = begin(bring_both(&volumes, tree("ten_1", "aa"), helper()));
    run(there.until_requests("DELETE", "/volumes/" + volume, 1));
    settle();
    EXPECT_EQ(fills(), 0u);
    time.advance(200ms);
    EXPECT_TRUE(end(*one).has_value());
    EXPECT_EQ(fills(), 1u);
}

TEST_F(PackageVolumes, OneThatIsInUseAndLostItsMarkIsMarkedAgain)
{
    has({volume, mark});
    ASSERT_TRUE(bring(tree("ten_1", "aa")).has_value());
    has({volume});
    there.forget("DELETE", "/volumes/" + volume);
    there.on("DELETE", "/volumes/" + volume).fails(409, "volume is in use - [c7]");
    ASSERT_TRUE(bring(tree("ten_1", "aa")).has_value());
    EXPECT_EQ(fills(), 0u);
    EXPECT_THAT(mounted(), ElementsAre(mark));
}

TEST_F(PackageVolumes, OneOfWhichNothingIsKnownIsNotMarkedWhileItIsInUse)
{
    has({volume, mark});
    ASSERT_TRUE(bring(tree("ten_1", "aa")).has_value());
    has({volume}, "2026-11-22T07:00:01Z");    // another one
    there.forget("DELETE", "/volumes/" + volume);
    there.on("DELETE", "/volumes/" + volume).fails(409, "volume is in use - [c7]");
    const auto one = begin(bring_both(&volumes, tree("ten_1", "aa"), helper()));
    run(there.until_requests("DELETE", "/volumes/" + volume, 1));
    settle();
    time.advance(15s);
    const auto& outcome = end(*one);
    ASSERT_TRUE(outcome.has_error());
    EXPECT_THAT(outcome.error().detail, HasSubstr("while a container uses it"));
    EXPECT_THAT(mounted(), IsEmpty());
}

TEST_F(PackageVolumes, OneThatIsRemovedWhileItIsMountedIsNotConfirmed)
{
    has({volume, mark});
    const auto one = bring(tree("ten_1", "aa"));
    ASSERT_TRUE(one.has_value());
    EXPECT_TRUE(run(volumes.confirm(one->get())).has_value());
    has({volume});
    EXPECT_TRUE(run(volumes.confirm(one->get())).has_error());
    has({volume, mark}, "2026-11-22T07:00:01Z");
    EXPECT_TRUE(run(volumes.confirm(one->get())).has_error()) << "the engine made an empty one";
}

TEST_F(PackageVolumes, WhatIsNoTreeOfTheServersIsRefused)
{
    for (const auto& path : {std::string("/etc"), scratch.path(), scratch.path() + "/", scratch.path() + "/a b", scratch.path() + "x/y",
             scratch.path() + "/../x"}) {
        const auto one = bring(path);
        ASSERT_TRUE(one.has_error()) << path;
        EXPECT_EQ(one.error().code, errc::not_implemented);
    }
    EXPECT_THAT(there.requests("GET", "/volumes"), IsEmpty());
}

TEST_F(PackageVolumes, WhatWasUsedLongestAgoMakesRoom)
{
    add_tree("ten_1", "bb");
    add_tree("ten_2", "aa");
    const std::string second = "caisson-package-i1-ten_1.bb.tree";
    has({volume, mark, second, second + ".whole-2048"});
    ASSERT_TRUE(bring(tree("ten_1", "bb")).has_value());
    ASSERT_TRUE(bring(tree("ten_1", "aa")).has_value());
    ASSERT_TRUE(bring(tree("ten_2", "aa")).has_value()) << "2,048 bytes more than there is room for";
    EXPECT_EQ(removals(second), 1u);
    EXPECT_EQ(removals(second + ".whole-2048"), 1u);
    EXPECT_EQ(removals(volume), 0u);
}

TEST_F(PackageVolumes, WhatIsAskedForWhileRoomIsMadeStays)
{
    add_tree("ten_1", "bb");
    add_tree("ten_2", "aa");
    const std::string second = "caisson-package-i1-ten_1.bb.tree";
    has({volume, volume + ".whole-9000", second, second + ".whole-9000"});
    for (const char* digest : {"aa", "bb"})
        ASSERT_TRUE(bring(tree("ten_1", digest)).has_value());
    there.forget("DELETE", "/volumes/" + volume);
    auto& removing = there.on("DELETE", "/volumes/" + volume);
    const auto third = begin(bring_both(&volumes, tree("ten_2", "aa"), helper()));
    run(there.until_requests("DELETE", "/volumes/" + volume, 1));
    const auto held = bring(tree("ten_1", "bb"));
    ASSERT_TRUE(held.has_value());
    removing.empty(204);
    EXPECT_TRUE(end(*third).has_value());
    EXPECT_EQ(removals(second), 0u) << "a container is being made with it";
}

TEST_F(PackageVolumes, WhatIsBeingMountedStays)
{
    add_tree("ten_2", "aa");
    has({volume, ".whole-9000", volume + ".whole-9000"});
    const auto held = bring(tree("ten_1", "aa"));
    ASSERT_TRUE(held.has_value());
    ASSERT_TRUE(bring(tree("ten_2", "aa")).has_value());
    EXPECT_EQ(run(volumes.sweep()).value(), 0u);
    EXPECT_EQ(removals(volume), 0u);
}

TEST_F(PackageVolumes, ASweepRemovesWhatNobodyNeeds)
{
    const std::string deleted = "caisson-package-i1-ten_9.ff.tree";
    const std::string half = "caisson-package-i1-ten_1.bb.tree";
    const std::string used = "caisson-package-i1-ten_9.ee.tree";
    add_tree("ten_1", "bb");
    const std::string foreign = "my-caisson-package-i1-ten_9.ff.tree";
    has({volume, mark, deleted, deleted + ".whole-2048", half, used, used + ".whole-2048", foreign});
    there.forget("DELETE", "/volumes/" + used);
    there.on("DELETE", "/volumes/" + used).fails(409, "volume is in use - [c7]");
    EXPECT_EQ(run(volumes.sweep()).value(), 2u);
    for (const auto& each : {deleted, deleted + ".whole-2048", half})
        EXPECT_EQ(removals(each), 1u) << each;
    for (const auto& each : {volume, mark, used + ".whole-2048", foreign})
        EXPECT_EQ(removals(each), 0u) << each;
}

TEST_F(PackageVolumes, ASweepOfAnEngineThatIsAwayIsAnError)
{
    there.go_down();
    EXPECT_TRUE(run(volumes.sweep()).has_error());
}

}    // namespace
}    // namespace caisson::docker
