#include "tests/adapters/archive/fixture.hpp"

namespace caisson {
namespace {

using caisson::testing::faults_of;
using caisson::testing::gzipped;
using caisson::testing::tar_of;
using caisson::testing::zip_of;
using namespace std::string_literals;

/// One entry with a wrong name, before and behind SKILL.md, in a zip and in a tar.gz: each time the package is refused.
struct name_case {
    std::string_view test;
    std::string name;
    std::string_view want;    // behind the format's own name, if it begins with a blank
};
class WrongName : public ::testing::TestWithParam<name_case> {
protected:
    /// The begin of the faults, as long as the case tells it.
    static std::string told(const std::string& archive)
    {
        return faults_of(archive).substr(0, GetParam().want.ends_with(' ') ? GetParam().want.size() : std::string::npos);
    }
    static std::string want(std::string_view format)
    {
        const auto text = GetParam().want;
        return text.starts_with(' ') ? std::string(format) + std::string(text) : std::string(text);
    }
};

TEST_P(WrongName, IsRefusedWhereverItStandsInAZip)
{
    const auto& bad = GetParam().name;
    EXPECT_EQ(told(zip_of({{bad, "x"}, {"SKILL.md", "y"}})), want("zip"));
    EXPECT_EQ(told(zip_of({{"SKILL.md", "y"}, {"a", "z", 0100644, true}, {bad, "x"}})), want("zip"));
}

TEST_P(WrongName, IsRefusedWhereverItStandsInATar)
{
    const auto& bad = GetParam().name;
    if (bad.find('\0') != std::string::npos)
        return;    // a tar cannot say it
    EXPECT_EQ(told(gzipped(tar_of({{bad, "x"}, {"SKILL.md", "y"}}))), want("tar.gz"));
    EXPECT_EQ(told(gzipped(tar_of({{"SKILL.md", "y"}, {"a", "z"}, {bad, "x"}}))), want("tar.gz"));
}

INSTANTIATE_TEST_SUITE_P(Cases, WrongName,
    ::testing::Values(name_case{"up", "../../../../tmp/slip", " contains path traversal entry: ../../../../tmp/slip"},
        name_case{"up_inside", "a/../../up", " contains path traversal entry: a/../../up"},
        name_case{"up_behind_here", "ok/./../x", " contains path traversal entry: ok/./../x"},
        name_case{"absolute", "/tmp/abs", " contains absolute path entry: /tmp/abs"},
        name_case{"drive", "C:\\x", " contains absolute path entry: C:\\x"},
        name_case{"backslashes", "..\\..\\w", "a name has a backslash: ..\\..\\w"},
        name_case{"nul", "good.py\0.txt"s, "a name has control characters: good.py\\x00.txt"},
        name_case{"escape", "a\x1B[2J", "a name has control characters: a\\x1b[2J"},
        name_case{"not_utf8", "a\xFF", "a name is not UTF-8: a\xEF\xBF\xBD"},
        name_case{"same", "SKILL.md", "an entry is there twice: SKILL.md"},
        name_case{"other_case", "skill.MD", "two names differ only by case or Unicode form: "},
        name_case{"below_a_file", "SKILL.md/x", "a file is where a directory is needed: "}),
    [](const auto& info) { return std::string(info.param.test); });

}    // namespace
}    // namespace caisson
