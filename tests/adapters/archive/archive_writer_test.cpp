#include "adapters/archive/archive_writer.hpp"
#include "tests/adapters/archive/fixture.hpp"

namespace caisson {
namespace {

using namespace caisson::testing;

class ArchiveWriter : public ::testing::TestWithParam<archive_format> {
protected:
    void add(std::string_view path, std::string_view content, std::uint32_t mode = 0644)
    {
        ASSERT_TRUE(writer_.begin_file(path, std::ssize(content), mode, 1'700'000'000'000).has_value()) << path;
        ASSERT_TRUE(writer_.write(content).has_value());
        made_ += writer_.take();
    }
    std::string finished()
    {
        EXPECT_TRUE(writer_.finish().has_value());
        return made_ + writer_.take();
    }

    archive_writer writer_{GetParam()};
    std::string made_;
};

/// What it writes passes the strictest reader that is at hand: that of packages.
TEST_P(ArchiveWriter, WritesWhatIsReadAgain)
{
    const scratch place;
    add("SKILL.md", "text");
    add("größe/" + std::string(150, 'n') + "/tool", std::string(200'000, 'a') + "end", 0755);
    add("empty", "");
    const auto file = place.put("p", finished());
    const auto index = inspect_package(file, {});
    ASSERT_TRUE(index.has_value()) << index.error().detail;
    EXPECT_TRUE(index->mistakes.empty());
    EXPECT_EQ(index->entries, (std::vector<package_entry>{
                                  {"SKILL.md", 4, 0644}, {"empty", 0, 0644}, {"größe/" + std::string(150, 'n') + "/tool", 200'003, 0755}}));
    const auto into = place.path() / "tree";
    std::filesystem::create_directory(into);
    ASSERT_TRUE(extract_package(file, *index, {}, into).has_value());
    EXPECT_EQ(scratch::read(into / "größe" / std::string(150, 'n') / "tool"), std::string(200'000, 'a') + "end");
}

TEST_P(ArchiveWriter, OfNothingIsAnArchiveToo)
{
    const auto archive = finished();
    EXPECT_EQ(archive.substr(0, 2), GetParam() == archive_format::zip ? "PK" : "\x1F\x8B");
}

TEST_P(ArchiveWriter, KeepsLittleInMemory)
{
    // What does not pack well: what waits to be taken never grows beyond a few blocks.
    std::string block(1 << 20, '\0');
    std::uint32_t state = 7;
    for (auto& each : block) {
        state = state * 1'664'525 + 1'013'904'223;
        each = static_cast<char>(state >> 24);
    }
    ASSERT_TRUE(writer_.begin_file("big", 16 << 20, 0644, 0).has_value());
    std::size_t most = 0;
    for (int i = 0; i < 16; ++i) {
        ASSERT_TRUE(writer_.write(block).has_value());
        most = std::max(most, writer_.take().size());
    }
    ASSERT_TRUE(writer_.finish().has_value());
    EXPECT_LT(most, 3u << 20);
}

TEST_P(ArchiveWriter, TenThousandFilesFit)
{
    for (int i = 0; i < 10'000; ++i)
        add("f/" + std::to_string(i), "x");
    const scratch place;
    package_limits limits;
    limits.max_entries = 10'000;
    const auto index = inspect_package(place.put("p", finished()), limits);
    ASSERT_TRUE(index.has_value()) << index.error().detail;
    EXPECT_EQ(index->entries.size(), 10'000u);
}

TEST_P(ArchiveWriter, NamesAreMadeHarmlessOrRefused)
{
    add("a\\..\\b\nc", "x");
    add("C:x", "x");
    add("bad\xFF", "x");
    for (const auto* each : {"", "/etc/passwd", "../x", "a/../../x", "."})
        EXPECT_EQ(writer_.begin_file(each, 0, 0644, 0).error().code, errc::bad_request) << each;
    const scratch place;
    const auto index = inspect_package(place.put("p", finished()), {});
    ASSERT_TRUE(index.has_value()) << index.error().detail;
    EXPECT_EQ(index->entries, (std::vector<package_entry>{{"C_x", 1, 0644}, {"a_.._b_c", 1, 0644}, {"bad\xEF\xBF\xBD", 1, 0644}}));
}

TEST_P(ArchiveWriter, NamesThatBecomeOneAreNumbered)
{
    add("d/a\\b.txt", "1");
    add("d/a_b.txt", "22");
    add("d/a\nb.txt", "333");
    const scratch place;
    const auto index = inspect_package(place.put("p", finished()), {});
    ASSERT_TRUE(index.has_value()) << index.error().detail;
    std::vector<std::string> paths;
    for (const auto& each : index->entries)
        paths.push_back(each.path + "=" + std::to_string(each.size_bytes));
    EXPECT_EQ(paths, (std::vector<std::string>{"a_b (2).txt=2", "a_b (3).txt=3", "a_b.txt=1"}));
}

TEST_P(ArchiveWriter, SizesMustBeKept)
{
    ASSERT_TRUE(writer_.begin_file("a", 3, 0644, 0).has_value());
    EXPECT_EQ(writer_.write("four").error().code, errc::bad_request);
    ASSERT_TRUE(writer_.write("ab").has_value());
    EXPECT_EQ(writer_.begin_file("b", 1, 0644, 0).error().code, errc::bad_request);
    EXPECT_EQ(writer_.finish().error().code, errc::bad_request);
}

TEST_P(ArchiveWriter, MayBeDroppedInTheMiddle)
{
    ASSERT_TRUE(writer_.begin_file("a", 256LL << 20, 0644, 0).has_value());
    ASSERT_TRUE(writer_.write("ab").has_value());
    archive_writer other(GetParam());
    writer_ = std::move(other);
    EXPECT_TRUE(writer_.finish().has_value());
}

INSTANTIATE_TEST_SUITE_P(Formats, ArchiveWriter, ::testing::Values(archive_format::zip, archive_format::tar_gz),
    [](const auto& info) { return info.param == archive_format::zip ? std::string("Zip") : std::string("TarGz"); });

}    // namespace
}    // namespace caisson
