#include "tests/adapters/archive/fixture.hpp"

namespace caisson {
namespace {

using namespace caisson::testing;
using namespace std::string_literals;

using change = std::function<void(zip_header& local, zip_header& central)>;

std::string descriptor_of(std::string_view content, std::size_t packed, bool marked, int bytes)
{
    return (marked ? "PK\x07\x08"s : ""s) + little_endian(crc_of(content), 4) + little_endian(packed, bytes) +
           little_endian(content.size(), bytes);
}

/// An entry whose sizes are told behind it, as streaming writers do.
zip_entry streamed(const std::string& name, const std::string& content, bool marked, int bytes)
{
    zip_entry entry{name, content, 0100644, true};
    entry.descriptor = descriptor_of(content, deflated(content).size(), marked, bytes);
    entry.change = [](zip_header& local, zip_header& central) {
        local.flags = central.flags = 8;
        local.crc = local.packed_bytes = local.size_bytes = 0;
    };
    return entry;
}

struct zip_case {
    std::string_view name;
    std::string archive;
    std::string_view want;    // empty: it is taken
};
class Zip : public ::testing::TestWithParam<zip_case> { };

TEST_P(Zip, IsTakenOrRefused)
{
    const auto& want = GetParam().want;
    const auto faults = faults_of(GetParam().archive);
    EXPECT_EQ(faults.substr(0, want.empty() ? std::string::npos : want.size()), want) << faults;
}

const std::vector<zip_entry> good{{"SKILL.md", "x"}, {"a.py", std::string(5'000, 'a'), 0100755, true}};

std::string with(zip_entry entry) { return zip_of({{"SKILL.md", "x"}, std::move(entry), {"z", "z"}}); }
std::string changed(change how) { return with({"a.py", "content", 0100644, false, "", "", std::move(how)}); }
std::string cut(std::string archive, std::size_t bytes) { return archive.substr(0, archive.size() - bytes); }
std::string zip64_extra(std::uint64_t size, std::uint64_t packed)
{
    return little_endian(1, 2) + little_endian(16, 2) + little_endian(size, 8) + little_endian(packed, 8);
}
std::string unicode_path(std::string_view name)
{
    return little_endian(0x7075, 2) + little_endian(name.size() + 5, 2) + "\x01" + "\0\0\0\0"s + std::string(name);
}

INSTANTIATE_TEST_SUITE_P(Right, Zip,
    ::testing::Values(zip_case{"usual", zip_of(good), ""}, zip_case{"comment", zip_of(good, {"", "", "a commit id"}), ""},
        zip_case{"zip64", zip_of(good, {.zip64 = true}), ""},
        zip_case{"zip64_sizes", changed([](auto& local, auto& central) {
                     for (auto* each : {&local, &central}) {
                         each->extra = zip64_extra(each->size_bytes, each->packed_bytes);
                         each->size_bytes = each->packed_bytes = 0xFFFFFFFF;
                     }
                 }),
            ""},
        zip_case{"streamed", with(streamed("a.py", "content", true, 4)), ""},
        zip_case{"streamed_without_mark", with(streamed("a.py", "content", false, 4)), ""},
        zip_case{"streamed_wide", with(streamed("a.py", "content", true, 8)), ""}, zip_case{"directory", with({"d/", "", 040755}), ""},
        zip_case{"empty_file", with({"e", "", 0100644, true}), ""},
        zip_case{"other_system", changed([](auto&, auto& central) { central.made_by = 20, central.mode = 0; }), ""},
        zip_case{"same_unicode_path", changed([](auto& local, auto& central) { local.extra = central.extra = unicode_path("a.py"); }), ""},
        zip_case{"document", with({"report.docx", "PK\x03\x04zz"}), ""}, zip_case{"dots", with({"a..b.txt", "x"}), ""},
        zip_case{"dots_first", with({"..foo", "x"}), ""}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Wrong, Zip,
    ::testing::Values(zip_case{"local_name_is_another", changed([](auto& local, auto&) { local.name = "evil"; }),
                          "invalid skill: the zip is damaged: the header and the central directory disagree about a.py"},
        zip_case{"local_size_is_another", changed([](auto& local, auto&) { local.size_bytes = 3; }),
            "invalid skill: the zip is damaged: the header and the central directory disagree about a.py"},
        zip_case{"local_crc_is_another", changed([](auto& local, auto&) { local.crc = 3; }),
            "invalid skill: the zip is damaged: the header and the central directory disagree about a.py"},
        zip_case{"local_method_is_another", changed([](auto& local, auto&) { local.method = 8; }),
            "invalid skill: the zip is damaged: the header and the central directory disagree about a.py"},
        zip_case{"unicode_path_is_another", changed([](auto& local, auto&) { local.extra = unicode_path("evil"); }),
            "invalid skill: the zip is damaged: the header and the central directory disagree about a.py"},
        zip_case{"sizes_are_wrong_alike", changed([](auto& local, auto& central) { local.size_bytes = central.size_bytes = 3; }),
            "invalid skill: the zip is damaged: the sizes of a.py disagree"},
        zip_case{"packed_bytes_reach_the_next", changed([](auto& local, auto& central) {
                     for (auto* each : {&local, &central})
                         each->size_bytes = each->packed_bytes = 30;
                 }),
            "invalid skill: the zip is damaged: what lies behind a.py does not fit its size"},
        zip_case{"crc", changed([](auto& local, auto& central) { local.crc = central.crc = 7; }),
            "invalid skill: the archive is damaged at a.py: ZIP bad CRC"},
        zip_case{"inflates_to_more",
            with({"a.py", std::string(5'000, 'a'), 0100644, true, "", "",
                [](auto& local, auto& central) { local.size_bytes = central.size_bytes = 100; }}),
            "invalid skill: "},
        zip_case{"inflates_to_less",
            with({"a.py", "abc", 0100644, true, "", "", [](auto& local, auto& central) { local.size_bytes = central.size_bytes = 100; }}),
            "invalid skill: "},
        zip_case{"bytes_before", zip_of(good, {"#!/bin/sh\n"}), "invalid skill: the package is neither a zip nor a tar.gz archive"},
        zip_case{"other_zip_before", zip_of(good) + zip_of(good), "invalid skill: the zip is damaged: its central directory is not where"},
        zip_case{
            "bytes_before_the_first", zip_of(good, {"PK\x03\x04more"}), "invalid skill: the zip is damaged: bytes that belong to no entry"},
        zip_case{"bytes_between", with({"a.py", "x", 0100644, false, "hidden"}),
            "invalid skill: the zip is damaged: what lies behind a.py does not fit its size"},
        zip_case{"bytes_before_the_directory", zip_of({{"SKILL.md", "x", 0100644, false, "hidden"}}),
            "invalid skill: the zip is damaged: what lies behind SKILL.md does not fit its size"},
        zip_case{"bytes_after", zip_of(good, {"", "more"}), "invalid skill: the zip is damaged: bytes follow its end"},
        zip_case{
            "long_comment", zip_of(good, {"", "", std::string(5'000, 'c')}), "invalid skill: the zip is damaged: it has no end record"},
        zip_case{"cut_in_its_end", cut(zip_of(good), 1), "invalid skill: the zip is damaged: its end record is cut off"},
        zip_case{"cut_behind_the_mark", cut(zip_of(good), 18), "invalid skill: the zip is damaged: its end record is cut off"},
        zip_case{"cut_in_the_mark", cut(zip_of(good), 21), "invalid skill: the zip is damaged: it has no end record; it may be cut off"},
        zip_case{"cut_in_the_comment", cut(zip_of(good, {"", "", "a commit id"}), 3),
            "invalid skill: the zip is damaged: its end record is cut off"},
        zip_case{"cut", cut(zip_of(good), 30), "invalid skill: the zip is damaged: it has no end record; it may be cut off"},
        zip_case{
            "directory_elsewhere", zip_of(good, {.directory_shift = 4}), "invalid skill: the zip is damaged: its central directory is not"},
        zip_case{"more_entries", zip_of(good, {.more_entries = 1}), "invalid skill: the zip is damaged: entry 3 of its central directory"},
        zip_case{"fewer_entries", zip_of(good, {.more_entries = -1}), "invalid skill: the zip is damaged: its central directory has more"},
        zip_case{"wrong_descriptor", with([] {
                     auto entry = streamed("a.py", "content", true, 4);
                     entry.descriptor[5] ^= 1;
                     return entry;
                 }()),
            "invalid skill: the zip is damaged: what lies behind a.py does not fit its size"},
        zip_case{"no_descriptor", with([] {
                     auto entry = streamed("a.py", "content", true, 4);
                     entry.descriptor.clear();
                     return entry;
                 }()),
            "invalid skill: the zip is damaged: what lies behind a.py does not fit its size"},
        zip_case{"encrypted", changed([](auto& local, auto& central) { local.flags = central.flags = 1; }),
            "invalid skill: an entry is encrypted: a.py"},
        zip_case{"hidden_headers", changed([](auto& local, auto& central) { local.flags = central.flags = 1 << 13; }),
            "invalid skill: an entry is encrypted: a.py"},
        zip_case{"lzma", changed([](auto& local, auto& central) { local.method = central.method = 14; }),
            "invalid skill: an entry is packed by method 14, only 0 and 8 (deflate) are read: a.py"},
        zip_case{"zstd", changed([](auto& local, auto& central) { local.method = central.method = 93; }),
            "invalid skill: an entry is packed by method 93"},
        zip_case{"symbolic_link", with({"l", "/etc/passwd", 0120777}), "an entry is a symbolic link: l"},
        zip_case{"device", with({"d", "", 0020644}), "an entry is a device: d"},
        zip_case{"block_device", with({"d", "", 0060644}), "an entry is a device: d"},
        zip_case{"fifo", with({"f", "", 0010644}), "an entry is a FIFO: f"},
        zip_case{"socket", with({"s", "", 0140644}), "an entry is a socket: s"},
        zip_case{"directory_without_slash", with({"d", "", 040755}), "an entry is a directory by its name or its mode, but not by both: d"},
        zip_case{"file_with_slash", with({"d/", "", 0100644}), "an entry is a directory by its name or its mode, but not by both: d/"},
        zip_case{"directory_with_content", with({"d/", "content", 040755}), "invalid skill: a directory has content: d/"},
        zip_case{"link_in_litter", with({"__MACOSX/l", "/etc/passwd", 0120777}), "an entry is a symbolic link: __MACOSX/l"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Zip, EveryCutIsRefused)
{
    const auto archive = zip_of(good);
    for (std::size_t length = 0; length < archive.size(); ++length)
        EXPECT_NE(faults_of(archive.substr(0, length)), "") << length;
}

TEST(Zip, OverlappingEntriesAreRefused)
{
    // Two central headers say the same place: the classic way to a bomb of a few kilobytes.
    const auto at_the_first = [](auto& local, auto& central) {
        local = central = zip_header{.name = "SKILL.md", .crc = crc_of("x"), .packed_bytes = 1, .size_bytes = 1};
    };
    auto archive = zip_of({{"SKILL.md", "x"}, {"a", "x", 0100644, false, "", "", at_the_first}});
    EXPECT_EQ(faults_of(archive), "an entry is there twice: SKILL.md");
    archive.replace(archive.rfind("SKILL.md") - 4, 4, little_endian(0, 4));
    const std::string_view want = "invalid skill: the zip is damaged: ";
    EXPECT_EQ(faults_of(archive).substr(0, want.size()), want);
}

}    // namespace
}    // namespace caisson
