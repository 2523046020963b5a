#include "tests/adapters/archive/fixture.hpp"

namespace caisson {
namespace {

using namespace caisson::testing;

package_limits small_limits()
{
    package_limits limits;
    limits.max_package_bytes = 64 << 10;
    limits.max_entries = 5;
    limits.max_total_bytes = 100'000;
    limits.max_file_bytes = 60'000;
    limits.max_skill_md_bytes = 1'000;
    limits.max_ratio = 20;
    limits.ratio_from_bytes = 10'000;
    return limits;
}

/// What packs to about a third of itself.
std::string noise(std::size_t bytes)
{
    std::string text;
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < bytes; ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        text += static_cast<char>('a' + (state >> 24) % 4);
    }
    return text;
}

struct limit_case {
    std::string_view name;
    std::vector<std::pair<std::string, std::string>> files;
    std::string_view zip;       // what is told of the zip; empty: it is taken
    std::string_view tar_gz;    // the same of the tar.gz
};
class Limit : public ::testing::TestWithParam<limit_case> { };

void expect_begin(const std::string& faults, std::string_view want)
{
    EXPECT_EQ(faults.substr(0, want.empty() ? std::string::npos : want.size()), want) << faults;
}

TEST_P(Limit, HoldsInAZip)
{
    std::vector<zip_entry> entries;
    for (const auto& [name, content] : GetParam().files)
        entries.push_back({name, content, 0100644, true});
    expect_begin(faults_of(zip_of(entries), small_limits()), GetParam().zip);
}

TEST_P(Limit, HoldsInATar)
{
    std::vector<tar_entry> entries;
    for (const auto& [name, content] : GetParam().files)
        entries.push_back({name, content});
    expect_begin(faults_of(gzipped(tar_of(entries)), small_limits()), GetParam().tar_gz);
}

INSTANTIATE_TEST_SUITE_P(Cases, Limit,
    ::testing::Values(limit_case{"within", {{"SKILL.md", "x"}, {"a", noise(40'000)}, {"b", noise(50'000)}}, "", ""},
        limit_case{"entries", {{"1", ""}, {"2", ""}, {"3", ""}, {"4", ""}, {"5", ""}, {"6", ""}},
            "invalid skill: the zip has 6 entries; at most 5 are taken", "invalid skill: the archive has more than 5 entries"},
        limit_case{"litter_counts", {{"1", ""}, {"2", ""}, {"3", ""}, {"__MACOSX/4", ""}, {".DS_Store", ""}, {"._6", ""}},
            "invalid skill: the zip has 6 entries; at most 5 are taken", "invalid skill: the archive has more than 5 entries"},
        limit_case{"directories_of_paths", {{"SKILL.md", "x"}, {"1/2/3/4/5/a", ""}}, "", ""},
        limit_case{"more_directories_of_paths", {{"SKILL.md", "x"}, {"1/2/3/a", ""}, {"4/5/6/b", ""}},
            "the paths of the archive need 6 directories; at most 5 are taken",
            "the paths of the archive need 6 directories; at most 5 are taken"},
        limit_case{"file", {{"SKILL.md", "x"}, {"a", noise(60'001)}}, "invalid skill: a file is larger than 60000 bytes: a",
            "invalid skill: a file is larger than 60000 bytes: a"},
        limit_case{"total", {{"SKILL.md", "x"}, {"a", noise(55'000)}, {"b", noise(45'000)}},
            "invalid skill: the archive inflates to more than 100000 bytes",
            "invalid skill: the archive inflates to more than 100000 bytes"},
        limit_case{"ratio", {{"SKILL.md", "x"}, {"a", std::string(50'000, 'a')}},
            "invalid skill: an entry inflates to more than 20 times its size: a",
            "invalid skill: the archive inflates to more than 20 times its size"},
        limit_case{"ratio_of_the_whole", {{"SKILL.md", "x"}, {"a", std::string(9'000, 'a')}, {"b", std::string(9'000, 'b')}},
            "invalid skill: the archive inflates to more than 20 times its size",
            "invalid skill: the archive inflates to more than 20 times its size"},
        limit_case{"small_ratio_does_not_count", {{"SKILL.md", "x"}, {"a", std::string(7'000, 'a')}}, "", ""},
        limit_case{"skill_md", {{"SKILL.md", noise(1'001)}}, "SKILL.md has more than 1000 bytes", "SKILL.md has more than 1000 bytes"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Limit, OfThePackageIsToldAsTooLarge)
{
    const scratch place;
    auto limits = small_limits();
    limits.max_package_bytes = 10;
    const auto index = inspect_package(place.put("p", zip_of({{"SKILL.md", "x"}})), limits);
    ASSERT_TRUE(index.has_error());
    EXPECT_EQ(index.error().code, errc::too_large);
}

/// S13: what a header says is not what counts. The size is small in the headers and the data inflates to gigabytes.
TEST(Limit, IsCountedWhileInflating)
{
    const auto bomb = std::string(20 << 20, '\0');
    zip_entry entry{"bomb", bomb, 0100644, true, "", "", [](auto& local, auto& central) { local.size_bytes = central.size_bytes = 100; }};
    EXPECT_EQ(faults_of(zip_of({{"SKILL.md", "x"}, entry})).substr(0, 15), "invalid skill: ");
    EXPECT_EQ(faults_of(zip_of({{"SKILL.md", "x"}, {"bomb", bomb, 0100644, true}})),
        "invalid skill: an entry inflates to more than 100 times its size: bomb");
    EXPECT_EQ(faults_of(gzipped(tar_of({{"SKILL.md", "x"}, {"bomb", bomb}}))),
        "invalid skill: the archive inflates to more than 100 times its size");
}

TEST(Limit, ACancelEndsTheReading)
{
    const scratch place;
    std::stop_source stop;
    stop.request_stop();
    for (const auto& archive : {zip_of({{"SKILL.md", "x"}}), gzipped(tar_of({{"SKILL.md", "x"}}))}) {
        const auto index = inspect_package(place.put("p", archive), package_limits(), stop.get_token());
        ASSERT_TRUE(index.has_error());
        EXPECT_EQ(index.error().code, errc::cancelled);
    }
}

TEST(Limit, ManyMistakesAreCounted)
{
    std::vector<zip_entry> entries;
    for (int i = 0; i < 30; ++i)
        entries.push_back({"../" + std::to_string(i), "x"});
    const auto faults = faults_of(zip_of(entries));
    EXPECT_EQ(std::ranges::count(faults, ';'), 20);
    EXPECT_TRUE(faults.ends_with("; and 10 more mistakes")) << faults;
}

}    // namespace
}    // namespace caisson
