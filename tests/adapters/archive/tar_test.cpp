#include "tests/adapters/archive/fixture.hpp"

namespace caisson {
namespace {

using namespace caisson::testing;
using namespace std::string_literals;

std::string with(tar_entry entry) { return gzipped(tar_of({{"SKILL.md", "x"}, std::move(entry), {"z", "z"}})); }
std::string with_pax(const std::string& records, tar_entry entry)
{
    return gzipped(tar_of({{"SKILL.md", "x"}, {"PaxHeader", records, 'x'}, std::move(entry)}));
}

struct tar_case {
    std::string_view name;
    std::string archive;
    std::string_view want;    // empty: it is taken
};
class TarGz : public ::testing::TestWithParam<tar_case> { };

TEST_P(TarGz, IsTakenOrRefused)
{
    const auto& want = GetParam().want;
    const auto faults = faults_of(GetParam().archive);
    EXPECT_EQ(faults.substr(0, want.empty() ? std::string::npos : want.size()), want) << faults;
}

const std::string good = tar_of({{"SKILL.md", "x"}, {"a.py", std::string(5'000, 'a')}});
std::string flipped(std::string archive, std::size_t from_end)
{
    archive[archive.size() - from_end] ^= 1;
    return archive;
}

INSTANTIATE_TEST_SUITE_P(Right, TarGz,
    ::testing::Values(tar_case{"usual", gzipped(good), ""}, tar_case{"padded", gzipped(good + std::string(8'192, '\0')), ""},
        tar_case{"directory", with({"d/", "", '5'}), ""}, tar_case{"pax_name", with_pax(pax("path", "größe.txt"), {"x", "y"}), ""},
        tar_case{"pax_time", with_pax(pax("mtime", "1.5"), {"x", "y"}), ""},
        tar_case{"pax_owner", with_pax(pax("uname", "Jörg") + pax("gname", "Gr\xFFppe"), {"x", "y"}), ""},
        tar_case{"global_pax", gzipped(tar_of({{"pax_global_header", pax("comment", "abc"), 'g'}, {"SKILL.md", "x"}})), ""},
        tar_case{"long_name", gzipped(tar_of({{"././@LongLink", std::string(150, 'n') + "\0"s, 'L'}, {"n", "x"}, {"SKILL.md", "x"}})), ""},
        tar_case{"root", gzipped(tar_of({{"./", "", '5'}, {"./SKILL.md", "x"}})), ""}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Wrong, TarGz,
    ::testing::Values(tar_case{"symbolic_link", with({"l", "", '2', "/etc/passwd"}), "an entry is a symbolic link: l"},
        tar_case{"hard_link", with({"l", "", '1', "SKILL.md"}), "an entry is a hard link: l"},
        tar_case{"character_device", with({"d", "", '3'}), "an entry is a device: d"},
        tar_case{"block_device", with({"d", "", '4'}), "an entry is a device: d"},
        tar_case{"fifo", with({"f", "", '6'}), "an entry is a FIFO: f"},
        tar_case{"pax_link", with_pax(pax("linkpath", "/etc/passwd"), {"l", "", '2', "x"}), "an entry is a symbolic link: l"},
        tar_case{"pax_sparse",
            with_pax(pax("GNU.sparse.major", "1") + pax("GNU.sparse.minor", "0") + pax("GNU.sparse.realsize", "9999999"),
                {"s", "1\n0\n5\n" + std::string(506, '\0') + "12345"}),
            "an entry is a sparse file: s"},
        tar_case{"pax_name_outside", with_pax(pax("path", "../x"), {"x", "y"}), "tar.gz contains path traversal entry: ../x"},
        tar_case{"pax_name_not_utf8", with_pax(pax("path", "x\xFF"), {"x", "y"}), "a name is not UTF-8: x"},
        tar_case{"pax_malformed", with_pax("xx path=a\n", {"x", "y"}), "invalid skill: the tar.gz cannot be read: Ignoring malformed pax"},
        tar_case{"pax_malformed_behind_a_name", with_pax(pax("path", "größe") + "xx path=a\n", {"x", "y"}),
            "invalid skill: the tar.gz cannot be read: Ignoring malformed pax"},
        tar_case{"long_name_outside", gzipped(tar_of({{"././@LongLink", "../../x\0"s, 'L'}, {"n", "x"}, {"SKILL.md", "x"}})),
            "tar.gz contains path traversal entry: ../../x"},
        tar_case{"wrong_checksum", gzipped("0" + good.substr(1)), "invalid skill: the tar.gz cannot be read: "},
        tar_case{"size_beyond_the_end", with({"a", "x", '0', "", "0000644", "00000077777"}), "invalid skill: "},
        tar_case{"no_end", gzipped(tar_of({{"SKILL.md", "x"}}, false)), "invalid skill: the tar.gz is damaged: the tar has no end"},
        tar_case{"bytes_behind_the_end", gzipped(good + std::string(512, 'h')),
            "invalid skill: the tar.gz is damaged: bytes follow the end of the tar"},
        tar_case{"tar_behind_the_tar", gzipped(good + good), "invalid skill: the tar.gz is damaged: bytes follow the end of the tar"},
        tar_case{"two_members", gzipped(good) + gzipped(good), "invalid skill: the tar.gz is more than one gzip member"},
        tar_case{"empty_member_behind", gzipped(good) + gzipped(""), "invalid skill: the tar.gz is more than one gzip member"},
        tar_case{"bytes_behind_the_member", gzipped(good) + "\0\0\0\0"s, "invalid skill: the tar.gz is damaged: bytes follow its end"},
        tar_case{"wrong_crc", flipped(gzipped(good), 6), "invalid skill: the tar.gz is damaged: its gzip data or checksum is wrong"},
        tar_case{"wrong_length", flipped(gzipped(good), 2), "invalid skill: the tar.gz is damaged: its gzip data or checksum is wrong"},
        tar_case{"no_tar", gzipped("hello"), "invalid skill: the tar.gz cannot be read: "},
        tar_case{"nothing", gzipped(""), "invalid skill: "},
        tar_case{"zip_inside", gzipped(zip_of({{"SKILL.md", "x"}})), "invalid skill: "},
        tar_case{"gzip_inside", gzipped(gzipped(good)), "invalid skill: the tar.gz cannot be read: "}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TarGz, EveryCutIsRefused)
{
    const auto archive = gzipped(good);
    for (std::size_t length = 0; length < archive.size(); ++length)
        EXPECT_NE(faults_of(archive.substr(0, length)), "") << length;
}

struct other_case {
    std::string_view name;
    std::string archive;
    std::string_view want;
};
class OtherFormat : public ::testing::TestWithParam<other_case> { };

/// S21: their decoders are never started, whatever window or size they ask for.
TEST_P(OtherFormat, IsRefusedByItsFirstBytes)
{
    EXPECT_EQ(faults_of(GetParam().archive), "invalid skill: " + std::string(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(Cases, OtherFormat,
    ::testing::Values(other_case{"empty", "", "the archive is empty"},
        other_case{"zstd", "\x28\xB5\x2F\xFD\xFF\xFF", "the package is neither a zip nor a tar.gz archive but zstd"},
        other_case{"xz",
            "\xFD"
            "7zXZ\0"s,
            "the package is neither a zip nor a tar.gz archive but xz"},
        other_case{"seven", "7z\xBC\xAF\x27\x1C", "the package is neither a zip nor a tar.gz archive but 7z"},
        other_case{"bzip2", "BZh91AY&SY", "the package is neither a zip nor a tar.gz archive but bzip2"},
        other_case{"rar", "Rar!\x1A\x07\x01", "the package is neither a zip nor a tar.gz archive but rar"},
        other_case{"plain_tar", good, "the package is neither a zip nor a tar.gz archive but tar"},
        other_case{"brotli_or_anything", "\x8B\x02\x80", "the package is neither a zip nor a tar.gz archive"},
        other_case{"text", "---\nname: a\n---", "the package is neither a zip nor a tar.gz archive"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
