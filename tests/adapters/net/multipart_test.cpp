#include "adapters/net/multipart.hpp"
#include "adapters/net/parameters.hpp"

#include <gtest/gtest.h>

namespace caisson::net {
namespace {

struct part {
    part_head head;
    std::string data;
    bool ended = false;
};

struct outcome {
    std::vector<part> parts;
    std::optional<error> failed;
};

/// Feeds `body` in pieces of `step` bytes.
outcome parse(std::string_view body, std::size_t step, multipart_limits limits = {})
{
    outcome out;
    auto parser = multipart_parser::make("multipart/form-data; boundary=XX", limits);
    while (!body.empty()) {
        auto events = parser->feed(body.substr(0, step));
        body.remove_prefix(std::min(step, body.size()));
        if (events.has_error()) {
            out.failed = events.error();
            return out;
        }
        for (auto& event : *events) {
            if (event.what == part_event::kind::begin)
                out.parts.push_back({std::move(event.head), "", false});
            else if (event.what == part_event::kind::data)
                out.parts.back().data += event.data;
            else
                out.parts.back().ended = true;
        }
    }
    if (const auto end = parser->finish(); end.has_error())
        out.failed = end.error();
    return out;
}

std::string field(std::string_view rest, std::string_view data)
{
    return "--XX\r\nContent-Disposition: form-data; " + std::string(rest) + "\r\n\r\n" + std::string(data) + "\r\n";
}

struct good_case {
    std::string_view name;
    std::string body;
    std::vector<part> want;
};
class Multipart : public ::testing::TestWithParam<good_case> { };
TEST_P(Multipart, ComesApartHoweverItIsCut)
{
    const auto& c = GetParam();
    for (const std::size_t step : {1u, 2u, 3u, 5u, 7u, 64u, 100'000u}) {
        const auto got = parse(c.body, step);
        ASSERT_FALSE(got.failed) << got.failed->detail;
        ASSERT_EQ(got.parts.size(), c.want.size()) << step;
        for (std::size_t i = 0; i < c.want.size(); ++i) {
            EXPECT_EQ(got.parts[i].head, c.want[i].head) << step;
            EXPECT_EQ(got.parts[i].data, c.want[i].data) << step;
            EXPECT_TRUE(got.parts[i].ended);
        }
    }
}
const std::string tricky = "\r\r\n\r\n-\r\n--\r\n--X\r\n--X\r\n--Y--XX";
INSTANTIATE_TEST_SUITE_P(Cases, Multipart,
    ::testing::Values(good_case{"one", field("name=a", "1") + "--XX--\r\n", {{{"a", {}, ""}, "1"}}},
        good_case{"two", field("name=\"a\"", "1") + field("name=\"b\"", "2") + "--XX--\r\n", {{{"a", {}, ""}, "1"}, {{"b", {}, ""}, "2"}}},
        good_case{"no_last_line_end", field("name=a", "1") + "--XX--", {{{"a", {}, ""}, "1"}}}, good_case{"none", "--XX--\r\n", {}},
        good_case{"line_end_before", "\r\n" + field("name=a", "1") + "--XX--", {{{"a", {}, ""}, "1"}}},
        good_case{"epilogue", field("name=a", "1") + "--XX--\r\n--XX\r\nnot read", {{{"a", {}, ""}, "1"}}},
        good_case{"empty_part", field("name=a", "") + "--XX--", {{{"a", {}, ""}, ""}}},
        good_case{"nearly_a_boundary", field("name=a", tricky) + "--XX--", {{{"a", {}, ""}, tricky}}},
        good_case{"ends_in_line_ends", field("name=a", "x\r\n\r\n\r") + "--XX--", {{{"a", {}, ""}, "x\r\n\r\n\r"}}},
        good_case{"zero_bytes", field("name=a", std::string(3, '\0')) + "--XX--", {{{"a", {}, ""}, std::string(3, '\0')}}},
        good_case{"file",
            "--XX\r\ncontent-disposition: FORM-DATA; filename=\"a b.zip\"; name=\"package\"\r\nX: y\r\nContent-Type: "
            "application/zip\r\n\r\nPK\r\n--XX--",
            {{{"package", "a b.zip", "application/zip"}, "PK"}}},
        good_case{"empty_file_name", field("name=a; filename=\"\"", "1") + "--XX--", {{{"a", "", ""}, "1"}}},
        good_case{"quoted", field("name=\"a\\\"b\\\\c\\d;e\"", "1") + "--XX--", {{{"a\"b\\c\\d;e", {}, ""}, "1"}}},
        good_case{"utf8", field("name=a; filename=\"\u00e4.txt\"", "1") + "--XX--", {{{"a", "\u00e4.txt", ""}, "1"}}},
        good_case{"extended_file_name", field("name=a; filename=\"x\"; filename*=utf-8'en'%C3%A4%20b", "1") + "--XX--",
            {{{"a", "\u00e4 b", ""}, "1"}}},
        good_case{"large", field("name=a", std::string(300'000, 'x')) + "--XX--", {{{"a", {}, ""}, std::string(300'000, 'x')}}}),
    [](const auto& info) { return std::string(info.param.name); });

struct bad_case {
    std::string_view name;
    std::string body;
    std::string_view says;
    errc code = errc::bad_request;
};
class MultipartMistake : public ::testing::TestWithParam<bad_case> { };
TEST_P(MultipartMistake, IsRefusedInASentence)
{
    const auto& c = GetParam();
    for (const std::size_t step : {1u, 3u, 100'000u}) {
        const auto got = parse(c.body, step, {.max_parts = 3, .max_header_bytes = 200, .max_header_count = 3});
        ASSERT_TRUE(got.failed);
        EXPECT_EQ(got.failed->code, c.code);
        EXPECT_NE(got.failed->detail.find(c.says), std::string::npos) << got.failed->detail;
    }
}
std::string head_only(std::string_view lines) { return "--XX\r\n" + std::string(lines) + "\r\n\r\n1\r\n--XX--"; }
INSTANTIATE_TEST_SUITE_P(Cases, MultipartMistake,
    ::testing::Values(bad_case{"empty", "", "closing boundary"}, bad_case{"another_boundary", "--YY\r\n", "begin with the boundary"},
        bad_case{"preamble", "hello\r\n--XX--", "begin with the boundary"},
        bad_case{"no_first_boundary", "name=a", "begin with the boundary"},
        bad_case{"cut_in_data", "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n1", "closing boundary"},
        bad_case{"cut_before_close", field("name=a", "1") + "--XX", "closing boundary"},
        bad_case{"cut_in_head", "--XX\r\nContent-Dispo", "closing boundary"},
        bad_case{"half_close", field("name=a", "1") + "--XX-", "closing boundary"},
        bad_case{"longer_boundary", field("name=a", "1") + "--XXX--", "followed by something else"},
        bad_case{"space_after_boundary", "--XX \r\n", "followed by something else"},
        bad_case{"bare_line_feed", "--XX\nContent-Disposition: form-data; name=a\n\n1\n--XX--", "followed by something else"},
        bad_case{"no_line_feed", "--XX\rx", "followed by something else"},
        bad_case{"no_head", "--XX\r\n\r\n1\r\n--XX--", "one Content-Disposition"},
        bad_case{"attachment", head_only("Content-Disposition: attachment; name=a"), "form-data with a name"},
        bad_case{"no_name", head_only("Content-Disposition: form-data; filename=a"), "form-data with a name"},
        bad_case{"two_dispositions", head_only("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b"),
            "one Content-Disposition"},
        bad_case{
            "two_types", head_only("Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\nContent-Type: a/c"), "one Content-Type"},
        bad_case{"name_twice", head_only("Content-Disposition: form-data; name=a; name=b"), "cannot be read"},
        bad_case{"open_quote", head_only("Content-Disposition: form-data; name=\"a"), "cannot be read"},
        bad_case{"no_value", head_only("Content-Disposition: form-data; name="), "cannot be read"},
        bad_case{"junk_behind_value", head_only("Content-Disposition: form-data; name=\"a\"b"), "cannot be read"},
        bad_case{"no_colon", head_only("Content-Disposition"), "header field"},
        bad_case{"folded", head_only("Content-Disposition: form-data;\r\n name=a"), "header field"},
        bad_case{"control_in_field", head_only(std::string("Content-Disposition: form-data; name=\"a\0b\"", 40)), "header field"},
        bad_case{"not_utf8", head_only("Content-Disposition: form-data; name=\"\xff\""), "UTF-8"},
        bad_case{"control_in_extended", head_only("Content-Disposition: form-data; name=a; filename*=UTF-8''%0a"), "control character"},
        bad_case{"another_charset", head_only("Content-Disposition: form-data; name=a; filename*=latin1''x"), "filename*"},
        bad_case{"base64", head_only("Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64"), "as they are"},
        bad_case{"many_parts", field("name=a", "1") + field("name=b", "1") + field("name=c", "1") + field("name=d", "1") + "--XX--",
            "3 parts", errc::too_large},
        bad_case{"long_head", head_only("X: " + std::string(300, 'x')), "200 bytes", errc::too_large},
        bad_case{"endless_head", "--XX\r\nX: " + std::string(300, 'x'), "200 bytes", errc::too_large},
        bad_case{"many_fields", head_only("A: 1\r\nB: 2\r\nC: 3\r\nContent-Disposition: form-data; name=a"), "3 header fields",
            errc::too_large}),
    [](const auto& info) { return std::string(info.param.name); });

struct type_case {
    std::string_view name;
    std::string content_type;
    std::optional<errc> refused;
};
class MultipartType : public ::testing::TestWithParam<type_case> { };
TEST_P(MultipartType, NeedsABoundary)
{
    const auto& c = GetParam();
    const auto got = multipart_parser::make(c.content_type);
    EXPECT_EQ(got.has_error() ? std::optional(got.error().code) : std::nullopt, c.refused);
}
INSTANTIATE_TEST_SUITE_P(Cases, MultipartType,
    ::testing::Values(type_case{"token", "multipart/form-data; boundary=abc", {}},
        type_case{"quoted", "Multipart/Form-Data;boundary=\"a b?c\"", {}},
        type_case{"with_charset", "multipart/form-data; charset=utf-8; boundary=abc", {}},
        type_case{"longest", "multipart/form-data; boundary=" + std::string(70, 'a'), {}},
        type_case{"too_long", "multipart/form-data; boundary=" + std::string(71, 'a'), errc::bad_request},
        type_case{"none", "multipart/form-data", errc::bad_request},
        type_case{"empty", "multipart/form-data; boundary=\"\"", errc::bad_request},
        type_case{"ends_in_space", "multipart/form-data; boundary=\"a \"", errc::bad_request},
        type_case{"odd_character", "multipart/form-data; boundary=\"a*b\"", errc::bad_request},
        type_case{"malformed", "multipart/form-data; boundary", errc::bad_request},
        type_case{"mixed", "multipart/mixed; boundary=abc", errc::unsupported_media_type},
        type_case{"json", "application/json", errc::unsupported_media_type}, type_case{"nothing", "", errc::unsupported_media_type}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Parameters, AreFoundByTheirNamesInLowerCase)
{
    const auto got = parse_parameters(" Form-Data ; NAME=\"x;y\" ;a=b");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->value, "form-data");
    ASSERT_TRUE(got->find("name"));
    EXPECT_EQ(*got->find("name"), "x;y");
    EXPECT_EQ(*got->find("a"), "b");
    EXPECT_FALSE(got->find("b"));
}

}    // namespace
}    // namespace caisson::net
