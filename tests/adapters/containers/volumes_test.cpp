#include "adapters/engine/volumes.hpp"

#include "tests/adapters/containers/fixture.hpp"

#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::Field;

class Volumes : public imposter_test {
protected:
    volumes all{on};
};

TEST_F(Volumes, OneIsToldWithItsTime)
{
    there.on("GET", "/volumes/a%2Fb").json(200, json::object{{"Name", "a/b"}, {"CreatedAt", "2026-11-22T07:00:00Z"}});
    const auto found = run(all.inspect("a/b", soon()));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_EQ(found->name, "a/b");
    EXPECT_EQ(found->made_at, "2026-11-22T07:00:00Z");
}

TEST_F(Volumes, OneThatIsNotThereIsNotFound) { EXPECT_EQ(run(all.inspect("none", soon())).error().code, errc::not_found); }

TEST_F(Volumes, ThoseThatBeginSoAreListed)
{
    json::array told{
        json::object{{"Name", "mine-1"}, {"CreatedAt", nullptr}}, json::object{{"Name", "not-mine-1"}}, json::object{{"Name", "mine-2"}}};
    there.on("GET", "/volumes").json(200, json::object{{"Volumes", std::move(told)}, {"Warnings", nullptr}});
    const auto found = run(all.list("mine-", soon()));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_THAT(*found, ElementsAre(Field(&volume_info::name, "mine-1"), Field(&volume_info::name, "mine-2")));
    EXPECT_EQ(there.requests("GET", "/volumes").at(0).query_value("filters"), R"({"name":["mine-"]})");
}

/// What an engine says of its volumes.
struct list_case {
    std::string_view name;
    json::value said;
    bool understood;
};
void PrintTo(const list_case& of, std::ostream* out) { *out << of.name; }
class VolumeList : public Volumes, public ::testing::WithParamInterface<list_case> { };

TEST_P(VolumeList, IsReadOrRefused)
{
    there.on("GET", "/volumes").json(200, GetParam().said);
    const auto found = run(all.list("", soon()));
    ASSERT_EQ(found.has_value(), GetParam().understood);
    if (!GetParam().understood)
        EXPECT_EQ(found.error().code, errc::runtime_unavailable);
}

INSTANTIATE_TEST_SUITE_P(Cases, VolumeList,
    ::testing::Values(list_case{"none", json::object{{"Volumes", nullptr}}, true}, list_case{"nothing_of_them", json::object(), true},
        list_case{"no_object", json::array(), false}, list_case{"a_number", json::object{{"Volumes", 7}}, false},
        list_case{"one_without_a_name", json::object{{"Volumes", json::array{json::object()}}}, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Volumes, OneIsRemovedOrIsGoneOrInUse)
{
    there.on("DELETE", "/volumes/one").empty(204);
    there.on("DELETE", "/volumes/used").fails(409, "volume is in use - [c7]");
    EXPECT_TRUE(run(all.remove("one", soon())).has_value());
    EXPECT_TRUE(run(all.remove("none", soon())).has_value());
    EXPECT_EQ(run(all.remove("used", soon())).error().code, errc::conflict);
}

}    // namespace
}    // namespace caisson::docker
