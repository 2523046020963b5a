// Names keep their bytes in each format, in whatever Unicode form they are.

#include "tests/adapters/archive/fixture.hpp"

namespace caisson {
namespace {

using namespace caisson::testing;
using namespace std::string_literals;

using packer = std::string (*)(const std::vector<std::string>& names);

std::string content_of(const std::string& name) { return name + " itself"; }

std::string zip_with(const std::vector<std::string>& names, std::uint16_t flags)
{
    std::vector<zip_entry> entries;
    for (const auto& each : names)
        entries.push_back({each, content_of(each), 0100644, true, "", "",
            [flags](zip_header& local, zip_header& central) { local.flags = central.flags = flags; }});
    return zip_of(entries);
}

/// Says of its names that they are UTF-8.
std::string zip_of_utf8(const std::vector<std::string>& names) { return zip_with(names, 1 << 11); }
std::string zip_of_bytes(const std::vector<std::string>& names) { return zip_with(names, 0); }

std::string ustar_of(const std::vector<std::string>& names)
{
    std::vector<tar_entry> entries;
    for (const auto& each : names)
        entries.push_back({each, content_of(each)});
    return gzipped(tar_of(entries));
}

/// The name in an extension before the entry, which has another.
std::string extended_of(const std::vector<std::string>& names, char type, std::string (*extension)(const std::string& name))
{
    std::vector<tar_entry> entries;
    for (const auto& each : names) {
        entries.push_back({"extension", extension(each), type});
        entries.push_back({"short", content_of(each)});
    }
    return gzipped(tar_of(entries));
}

std::string gnu_of(const std::vector<std::string>& names)
{
    return extended_of(names, 'L', [](const std::string& name) { return name + '\0'; });
}

std::string pax_of(const std::vector<std::string>& names)
{
    return extended_of(names, 'x', [](const std::string& name) { return pax("uname", "Jörg") + pax("path", name); });
}

/// It says that its names are of no known character set.
std::string binary_pax_of(const std::vector<std::string>& names)
{
    return extended_of(names, 'x', [](const std::string& name) { return pax("hdrcharset", "BINARY") + pax("path", name); });
}

struct format_case {
    std::string_view name;
    packer pack;
};
class NamesIn : public ::testing::TestWithParam<format_case> {
protected:
    static std::string faults(std::vector<std::string> names)
    {
        names.insert(names.begin(), "SKILL.md");
        return faults_of(GetParam().pack(names));
    }
};

const std::string composed = "\xC3\xA9.txt";
const std::string decomposed = "e\xCC\x81.txt";

TEST_P(NamesIn, KeepTheirBytes)
{
    // Decomposed, composed, Hangul in its parts, the Ångström sign, marks in another order than the canonical one, two planes.
    for (const auto& name : {decomposed, composed, "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB.py"s, "\xE2\x84\xAB"s, "a\xCC\x81\xCC\xA3"s,
             "d/\xF0\x91\x82\x99\xF0\x91\x82\xBA\xF0\x9F\x98\x80"s}) {
        const scratch place;
        const auto file = place.put("p", GetParam().pack({"SKILL.md", name}));
        const auto index = inspect_package(file, {});
        ASSERT_TRUE(index.has_value()) << index.error().detail;
        ASSERT_EQ(index->entries.size(), 2u) << name;
        EXPECT_EQ(index->entries.back().path, name);
        const auto into = place.path() / "tree";
        std::filesystem::create_directory(into);
        ASSERT_TRUE(extract_package(file, *index, {}, into).has_value());
        EXPECT_EQ(scratch::read(into / name), content_of(name));
    }
}

TEST_P(NamesIn, OfOneTextAreRefusedAsThat)
{
    const std::string sentence = "two names differ only by case or Unicode form: ";
    EXPECT_EQ(faults({composed, decomposed}), sentence + composed + " and " + decomposed);
    EXPECT_EQ(faults({decomposed, composed}), sentence + decomposed + " and " + composed);
    EXPECT_EQ(faults({"Main.py", "main.py"}), sentence + "Main.py and main.py");
    EXPECT_EQ(faults({decomposed, "E\xCC\x81.TXT"}), sentence + decomposed + " and E\xCC\x81.TXT");
    EXPECT_EQ(faults({decomposed, decomposed}), "an entry is there twice: " + decomposed);
}

TEST_P(NamesIn, ThatAreNotUtf8AreRefusedAsThat) { EXPECT_EQ(faults({"x\xFF"}), "a name is not UTF-8: x\xEF\xBF\xBD"); }

INSTANTIATE_TEST_SUITE_P(Formats, NamesIn,
    ::testing::Values(format_case{"Zip", &zip_of_utf8}, format_case{"ZipOfBytes", &zip_of_bytes}, format_case{"Ustar", &ustar_of},
        format_case{"Gnu", &gnu_of}, format_case{"Pax", &pax_of}, format_case{"BinaryPax", &binary_pax_of}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
