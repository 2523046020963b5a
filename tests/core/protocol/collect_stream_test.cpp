#include "core/protocol/collect_stream.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace caisson::protocol {
namespace {

using item = collect_decoder::item;

std::string number(std::uint64_t value, int width)
{
    std::string out;
    for (int i = 0; i < width; ++i)
        out += static_cast<char>(value >> (8 * i));
    return out;
}

std::string record(collect_record type, const std::string& body) { return number(body.size(), 4) + static_cast<char>(type) + body; }

std::string file(const std::string& path, std::uint64_t size, bool output = false)
{
    std::string out;
    append_file(out, {output, size, 0644, 1'000, path});
    return out;
}

std::string data(std::string_view bytes)
{
    std::string out;
    append_data_head(out, bytes.size());
    return out.append(bytes);
}

std::string end()
{
    std::string out;
    append_end(out);
    return out;
}

std::string done(std::uint64_t skipped = 0)
{
    std::string out;
    append_done(out, {skipped, 3, ""});
    return out;
}

std::string skipped(std::string_view path, std::string_view reason)
{
    std::string out;
    append_skipped(out, path, reason);
    return out;
}

std::string stream(const std::string& records) { return std::string(collect_magic) + records; }

/// What the stream says, in words; "!" where it is broken.
std::string told(std::string_view bytes, std::size_t piece)
{
    collect_decoder decoder;
    std::string out;
    const auto take_all = [&] {
        for (;;) {
            switch (decoder.next()) {
            case item::need_more: return true;
            case item::broken: out += "!"; return false;
            case item::file:
                out += "[" + std::string(decoder.file().is_output ? "*" : "") + decoder.file().path + ":" +
                       std::to_string(decoder.file().size) + "]";
                break;
            case item::data: out += decoder.data().view(); break;
            case item::end: out += "."; break;
            case item::cut: out += "<cut " + decoder.reason() + ">"; break;
            case item::skipped: out += "<" + decoder.path() + ": " + decoder.reason() + ">"; break;
            case item::done: out += "done " + std::to_string(decoder.totals().skipped) + " " + decoder.totals().problem; break;
            }
        }
    };
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        decoder.add(shared_bytes(std::string(bytes.substr(at, piece))));
        if (!take_all())
            return out;
    }
    take_all();
    return out;
}

TEST(CollectStream, TellsWhatWasSent)
{
    std::string cut;
    append_cut(cut, "it became shorter while it was read");
    std::string last;
    append_done(last, {1, 9, "too many entries"});
    const auto bytes = stream(file("out/output.json", 2, true) + data("{}") + end() + file("a/b.txt", 5) + data("hel") + data("lo") +
                              end() + skipped("a/c", "a FIFO") + file("a/d", 4) + data("x") + cut + file("b", 0) + end() + last);
    const std::string want = "[*out/output.json:2]{}.[a/b.txt:5]hello.<a/c: a FIFO>[a/d:4]x<cut it became shorter while it was "
                             "read>[b:0].done 1 too many entries";
    for (const std::size_t piece : {1UL, 2UL, 7UL, 1'000UL})
        EXPECT_EQ(told(bytes, piece), want);
}

TEST(CollectStream, CountsWhatWaits)
{
    collect_decoder decoder;
    decoder.add(shared_bytes(stream(file("a", 3) + data("abc"))));
    EXPECT_EQ(decoder.next(), item::file);
    EXPECT_EQ(decoder.pending_bytes(), 8u);
    EXPECT_EQ(decoder.next(), item::data);
    EXPECT_EQ(decoder.pending_bytes(), 0u);
    EXPECT_EQ(decoder.next(), item::need_more);
}

struct broken_case {
    std::string_view name;
    std::string bytes;
};
void PrintTo(const broken_case& c, std::ostream* out) { *out << c.name; }

class CollectStreamBroken : public ::testing::TestWithParam<broken_case> { };

TEST_P(CollectStreamBroken, IsSeenInWhateverPieces)
{
    EXPECT_TRUE(told(GetParam().bytes, 1'000'000).ends_with("!"));
    EXPECT_TRUE(told(GetParam().bytes, 3).ends_with("!"));
}

std::string many_skipped()
{
    std::string out;
    for (std::size_t i = 0; i <= max_collect_skipped; ++i)
        out += skipped("a", "b");
    return out;
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectStreamBroken,
    ::testing::Values(broken_case{"another_magic", "usage: caisson-agent"},
        broken_case{"unknown_record", stream(record(collect_record{9}, ""))},
        broken_case{"record_zero", stream(record(collect_record{0}, ""))}, broken_case{"long_record", stream(number(10'000, 4) + "\x04")},
        broken_case{"data_outside_a_file", stream(data("x"))}, broken_case{"more_data_than_announced", stream(file("a", 2) + data("abc"))},
        broken_case{"empty_data", stream(file("a", 2) + record(collect_record::data, ""))},
        broken_case{"long_data", stream(file("a", 1 << 20) + number(max_collect_data + 1, 4) + "\x02")},
        broken_case{"end_too_early", stream(file("a", 2) + data("a") + end())}, broken_case{"end_outside_a_file", stream(end())},
        broken_case{"end_with_a_body", stream(file("a", 0) + record(collect_record::end, "x"))},
        broken_case{"cut_outside_a_file", stream(record(collect_record::cut, "x"))},
        broken_case{"file_within_a_file", stream(file("a", 1) + file("b", 1))},
        broken_case{"skipped_within_a_file", stream(file("a", 1) + skipped("b", "c"))},
        broken_case{"done_within_a_file", stream(file("a", 1) + done())}, broken_case{"something_after_done", stream(done() + done())},
        broken_case{"same_path_twice", stream(file("a", 0) + end() + file("a", 0) + end())},
        broken_case{"paths_out_of_order", stream(file("b", 0) + end() + file("a", 0) + end())},
        broken_case{"output_after_files", stream(file("a", 0) + end() + file("b", 0, true))},
        broken_case{"output_twice", stream(file("a", 0, true) + end() + file("b", 0, true))},
        broken_case{"absolute_path", stream(file("/a", 0))}, broken_case{"path_upwards", stream(file("a/../../b", 0))},
        broken_case{"path_with_a_dot", stream(file("./a", 0))}, broken_case{"path_with_an_empty_name", stream(file("a//b", 0))},
        broken_case{"path_that_ends_in_a_slash", stream(file("a/", 0))}, broken_case{"no_path", stream(file("", 0))},
        broken_case{"long_path", stream(file(std::string(max_collect_path + 1, 'a'), 0))},
        broken_case{"path_that_is_not_utf8", stream(file("a\xff", 0))}, broken_case{"path_with_a_line_break", stream(file("a\nb", 0))},
        broken_case{"path_with_a_nul", stream(file(std::string("a\0b", 3), 0))},
        broken_case{"huge_file", stream(file("a", ~std::uint64_t{0}))},
        broken_case{"short_file_record", stream(record(collect_record::file, "abc"))},
        broken_case{"special_mode",
            stream(record(collect_record::file, std::string(1, '\0') + number(0, 8) + number(04755, 4) + number(0, 8) + "a"))},
        broken_case{
            "another_kind_of_file", stream(record(collect_record::file, "\x02" + number(0, 8) + number(0644, 4) + number(0, 8) + "a"))},
        broken_case{"too_many_skipped", stream(many_skipped())},
        broken_case{"fewer_skipped_than_told", stream(skipped("a", "b") + done(0))},
        broken_case{"skipped_path_beyond_its_record", stream(record(collect_record::skipped, number(9, 4) + "a"))},
        broken_case{"skipped_reason_with_a_control_character", stream(skipped("a", "b\x1b[0m"))},
        broken_case{"long_reason", stream(skipped("a", std::string(max_collect_reason + 1, 'x')))},
        broken_case{"short_done", stream(record(collect_record::done, "abc"))}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::protocol
