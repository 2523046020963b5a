#include "adapters/archive/package_inspector.hpp"
#include "tests/adapters/archive/fixture.hpp"

#include <sys/stat.h>

#include <map>

namespace caisson {
namespace {

using namespace caisson::testing;

struct found {
    std::uint32_t mode;
    std::string content;
    bool operator==(const found&) const = default;
};

/// All that lies below `directory`; what is neither a file nor a directory fails the test.
std::map<std::string, found> tree_of(const std::filesystem::path& directory)
{
    std::map<std::string, found> tree;
    for (const auto& each : std::filesystem::recursive_directory_iterator(directory)) {
        struct stat facts{};
        EXPECT_EQ(::lstat(each.path().c_str(), &facts), 0);
        EXPECT_TRUE(S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)) << each.path();
        const auto name = each.path().lexically_relative(directory).string();
        tree[S_ISDIR(facts.st_mode) ? name + "/" : name] = {
            facts.st_mode & 07777, S_ISREG(facts.st_mode) ? scratch::read(each.path()) : std::string()};
    }
    return tree;
}

class Package : public ::testing::TestWithParam<std::string_view> {
protected:
    struct file {
        std::string name;
        std::string content;
        std::uint32_t mode;
    };
    /// In the format of the test.
    static std::string pack(const std::vector<file>& files)
    {
        std::vector<zip_entry> zip;
        std::vector<tar_entry> tar;
        for (const auto& each : files) {
            const bool directory = each.name.ends_with('/');
            zip.push_back({each.name, each.content, (directory ? 0040000U : 0100000U) | each.mode, !directory});
            char mode[8] = {};
            std::snprintf(mode, sizeof mode, "%07o", each.mode & 07777777U);
            tar.push_back({each.name, each.content, directory ? '5' : '0', "", mode});
        }
        return GetParam() == "zip" ? zip_of(zip) : gzipped(tar_of(tar));
    }
    std::map<std::string, found> extracted(const std::string& archive)
    {
        const auto file = place_.put("package", archive);
        const auto index = inspect_package(file, {});
        const auto into = place_.path() / "tree";
        std::filesystem::create_directory(into);
        EXPECT_TRUE(index.has_value()) << index.error().detail;
        const auto done = extract_package(file, *index, {}, into);
        EXPECT_TRUE(done.has_value()) << done.error().detail;
        return tree_of(into);
    }

    scratch place_;
};

TEST_P(Package, IsIndexedByPath)
{
    const auto archive =
        pack({{"scripts/", "", 0755}, {"scripts/main.py", "print(1)", 0755}, {"SKILL.md", "---", 0600}, {"a..b.txt", "", 0644}});
    const auto index = inspect_package(place_.put("p", archive), {});
    ASSERT_TRUE(index.has_value()) << index.error().detail;
    EXPECT_EQ(index->format, GetParam());
    EXPECT_EQ(index->entries, (std::vector<package_entry>{{"SKILL.md", 3, 0644}, {"a..b.txt", 0, 0644}, {"scripts/main.py", 8, 0755}}));
    EXPECT_EQ(index->total_bytes, 11);
    EXPECT_EQ(index->skill_md, "---");
    EXPECT_EQ(index->wrapper, "");
    EXPECT_TRUE(index->mistakes.empty());
}

TEST_P(Package, IsExtractedWithPlainModes)
{
    const auto big = std::string(300'000, 'b') + "end";
    const auto tree = extracted(pack({{"SKILL.md", "x", 0600}, {"zero", "0", 0}, {"bin/tool", "#!", 0711}, {"bin/suid", "s", 06755},
        {"bin/sticky", "t", 01644}, {"open", "o", 0666}, {"deep/er/big", big, 0644}, {"empty/", "", 0700}}));
    EXPECT_EQ(tree, (std::map<std::string, found>{{"SKILL.md", {0644, "x"}}, {"zero", {0644, "0"}}, {"bin/", {0755, ""}},
                        {"bin/tool", {0755, "#!"}}, {"bin/suid", {0755, "s"}}, {"bin/sticky", {0644, "t"}}, {"open", {0644, "o"}},
                        {"deep/", {0755, ""}}, {"deep/er/", {0755, ""}}, {"deep/er/big", {0644, big}}}));
}

TEST_P(Package, AWrappingDirectoryAndLitterAreLeftAway)
{
    const auto archive =
        pack({{"__MACOSX/", "", 0755}, {"wc/", "", 0755}, {"wc/SKILL.md", "x", 0644}, {"__MACOSX/wc/._SKILL.md", "l", 0644},
            {"wc/.DS_Store", "l", 0644}, {"wc/scripts/main.py", "y", 0644}, {"wc/scripts/Thumbs.db", "l", 0644}, {"._wc", "l", 0644}});
    EXPECT_EQ(extracted(archive),
        (std::map<std::string, found>{{"SKILL.md", {0644, "x"}}, {"scripts/", {0755, ""}}, {"scripts/main.py", {0644, "y"}}}));
    EXPECT_EQ(inspect_package(place_.path() / "package", {})->wrapper, "wc/");
}

TEST_P(Package, OnlyOneDirectoryMayWrap)
{
    const auto skill_md = [&](const std::vector<file>& files) { return inspect_package(place_.put("p", pack(files)), {})->skill_md; };
    EXPECT_EQ(skill_md({{"./SKILL.md", "root", 0644}}), "root");
    EXPECT_EQ(skill_md({{"a/SKILL.md", "a", 0644}, {"a/b", "", 0644}}), "a");
    EXPECT_EQ(skill_md({{"SKILL.md", "root", 0644}, {"a/SKILL.md", "a", 0644}}), "root");
    EXPECT_EQ(skill_md({{"a/SKILL.md", "a", 0644}, {"b/x", "", 0644}}), std::nullopt);
    EXPECT_EQ(skill_md({{"a/SKILL.md", "a", 0644}, {"README", "", 0644}}), std::nullopt);
    EXPECT_EQ(skill_md({{"a/b/SKILL.md", "b", 0644}}), std::nullopt);
    EXPECT_EQ(skill_md({{"skill.md", "small", 0644}}), std::nullopt);
}

TEST_P(Package, OnlyTheTextThatMayBeTheSkillsIsHeld)
{
    const std::string text(1'000, 't');
    package_inspector inspector(std::string(GetParam()), {});
    const auto add = [&](const std::string& name) {
        ASSERT_TRUE(inspector.begin({name, member_kind::file, std::ssize(text), 0644}).has_value());
        ASSERT_TRUE(inspector.data(text).has_value() && inspector.end().has_value());
    };
    add("d0/SKILL.md");
    EXPECT_EQ(inspector.held_bytes(), text.size());
    add("d0/main.py");
    EXPECT_EQ(inspector.held_bytes(), text.size());
    for (int i = 1; i < 5; ++i) {
        add("d" + std::to_string(i) + "/SKILL.md");
        EXPECT_EQ(inspector.held_bytes(), 0u);
    }
    add("SKILL.md");
    EXPECT_EQ(inspector.held_bytes(), text.size());
    EXPECT_EQ(inspector.take().skill_md, text);
}

TEST_P(Package, NothingIsWrittenOfOneWithMistakes)
{
    const auto file = place_.put("p", pack({{"SKILL.md", "x", 0644}, {"../up", "x", 0644}}));
    const auto index = inspect_package(file, {});
    ASSERT_EQ(index->mistakes.size(), 1u);
    const auto into = place_.path() / "tree";
    std::filesystem::create_directory(into);
    EXPECT_EQ(extract_package(file, *index, {}, into).error().code, errc::invalid_skill);
    EXPECT_TRUE(tree_of(into).empty());
    EXPECT_FALSE(std::filesystem::exists(place_.path() / "up"));
}

TEST_P(Package, AnotherArchiveThanTheInspectedIsRefused)
{
    const auto index = inspect_package(place_.put("p", pack({{"SKILL.md", "x", 0644}, {"a", "1", 0644}})), {});
    const std::vector<std::vector<file>> others{{{"SKILL.md", "x", 0644}, {"b", "1", 0644}}, {{"SKILL.md", "x", 0644}, {"a", "22", 0644}},
        {{"SKILL.md", "x", 0644}}, {{"SKILL.md", "x", 0644}, {"a", "1", 0644}, {"a", "1", 0644}},
        {{"SKILL.md", "x", 0644}, {"../a", "1", 0644}}};
    for (const auto& each : others) {
        const scratch other;
        const auto into = other.path() / "tree";
        std::filesystem::create_directory(into);
        EXPECT_EQ(extract_package(other.put("p", pack(each)), *index, {}, into).error().detail,
            "invalid skill: the archive is not the one that was inspected");
        EXPECT_LE(tree_of(into).size(), 2u);
    }
}

TEST_P(Package, LinksThatLieThereAreNotFollowed)
{
    const auto file = place_.put("p", pack({{"SKILL.md", "x", 0644}, {"d/a", "1", 0644}}));
    const auto index = inspect_package(file, {});
    const auto into = place_.path() / "tree";
    const auto outside = place_.path() / "outside";
    std::filesystem::create_directory(into);
    std::filesystem::create_directory(outside);
    std::filesystem::create_directory_symlink(outside, into / "d");
    EXPECT_THROW(static_cast<void>(extract_package(file, *index, {}, into)), std::system_error);
    EXPECT_TRUE(std::filesystem::is_empty(outside));
    EXPECT_THROW(static_cast<void>(extract_package(file, *index, {}, into / "d")), std::system_error);
    EXPECT_THROW(static_cast<void>(inspect_package(place_.path() / "absent", {})), std::system_error);
}

INSTANTIATE_TEST_SUITE_P(Formats, Package, ::testing::Values("zip", "tar.gz"),
    [](const auto& info) { return info.param == "zip" ? std::string("Zip") : std::string("TarGz"); });

}    // namespace
}    // namespace caisson
