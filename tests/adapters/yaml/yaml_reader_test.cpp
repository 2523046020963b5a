#include "adapters/yaml/yaml_reader.hpp"

#include "core/skills/yaml_json.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace caisson {
namespace {

struct yaml_case {
    std::string_view name;
    std::string text;
    std::string json;               // what it means
    std::string_view fault = "";    // or the begin of the sentence
};
class ReadYaml : public ::testing::TestWithParam<yaml_case> { };

TEST_P(ReadYaml, GivesOneValueOrASentence)
{
    const auto& c = GetParam();
    const auto read = read_yaml(c.text);
    if (c.fault.empty()) {
        ASSERT_TRUE(read.has_value()) << read.error().detail;
        EXPECT_EQ(boost::json::serialize(json_of(*read)), c.json);
        return;
    }
    ASSERT_TRUE(read.has_error());
    EXPECT_EQ(read.error().detail.substr(0, c.fault.size()), c.fault) << read.error().detail;
}

TEST(ReadYamlLines, AreCountedFromTheFirst)
{
    EXPECT_EQ(read_yaml("a: 1\nb: 2", 10)->items.back().line, 11);
    EXPECT_EQ(read_yaml("a: 1\nb: *x", 10).error().detail.substr(0, 9), "line 11: ");
    EXPECT_EQ(read_yaml("a: 1\nb: [", 10).error().detail.substr(0, 5), "line ");
}

std::string nested(int levels)
{
    return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}
std::string many_keys(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += std::to_string(i) + ":\n";
    return text;
}

INSTANTIATE_TEST_SUITE_P(Right, ReadYaml,
    ::testing::Values(yaml_case{"empty", "", "null"}, yaml_case{"map", "a: b\nc: d", R"({"a":"b","c":"d"})"},
        yaml_case{"list", "- a\n- [b, c]\n- {d: e}", R"(["a",["b","c"],{"d":"e"}])"},
        yaml_case{"numbers", "[1, -2, +3, 0x1f, 0o17, 1.5, 1e3, .5, 2.]", R"([1,-2,3,31,15,1.5E0,1E3,5E-1,2E0])"},
        yaml_case{"no_numbers", "[1.2.3, 1_000x, 0x, -0x1, e5, '.', 12a, .inf, .nan, 1e999]",
            R"(["1.2.3","1_000x","0x","-0x1","e5",".","12a",".inf",".nan","1e999"])"},
        yaml_case{"truth", "[true, False, TRUE, yes, on, y]", R"([true,false,true,"yes","on","y"])"},
        yaml_case{"nothing", "[~, null, Null, '', \"null\"]", R"([null,null,null,"","null"])"},
        yaml_case{"quoted_are_texts", "['1', \"true\", '~']", R"(["1","true","~"])"},
        yaml_case{"no_value", "a:\nb: ", R"({"a":null,"b":null})"},
        yaml_case{"block_text", "a: |\n  x\n  y\nb: >\n  x\n  y\n", R"({"a":"x\ny\n","b":"x y\n"})"},
        yaml_case{"comment", "a: b # c\n# d", R"({"a":"b"})"}, yaml_case{"deepest", nested(32), nested(32)},
        yaml_case{"merge_key_is_a_key", "<<: {a: 1}", R"({"<<":{"a":1}})"},
        yaml_case{"second_document_is_not_read", "a: 1\n---\nb: 2", R"({"a":1})"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Wrong, ReadYaml,
    ::testing::Values(yaml_case{"anchor", "a: &x 1", "", "line 1: anchors (&name) are not allowed"},
        yaml_case{"alias", "a: 1\nb: *a", "", "line 2: "},
        yaml_case{"bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]", "", "line 1: anchors (&name) are not allowed"},
        yaml_case{"tag", "a: !!binary x", "", "line 1: tags (!!name) are not allowed"},
        yaml_case{"tag_of_a_list", "a: !x [b]", "", "line 1: tags (!!name) are not allowed"},
        yaml_case{"key_twice", "a: 1\nb: 2\na: 3", "", "line 3: mapping key \"a\" already defined"},
        yaml_case{"key_twice_inside", "x: {a: 1, a: 2}", "", "line 1: mapping key \"a\" already defined"},
        yaml_case{"list_as_key", "? [a]\n: b", "", "line 1: a key must be a text"},
        yaml_case{"null_as_key", "~: b", "", "line 1: a key must be a text"}, yaml_case{"not_closed", "a: [b", "", "line "},
        yaml_case{"tab", "a:\n\t- b", "", "line "}, yaml_case{"quote", "a: 'b", "", "line "},
        yaml_case{"too_deep", nested(33), "", "line 1: more than 32 levels"},
        yaml_case{"far_too_deep", nested(20'000), "", "line 1: more than 32 levels"},
        yaml_case{"maps_too_deep", "a: " + std::string(3'000, '{'), "", "line 1: "},
        yaml_case{"too_many", many_keys(5'001), "", "line 5001: more than 10000 values"},
        yaml_case{"too_long", std::string(65'537, 'a'), "", "is 65537 bytes; at most 65536 are read"},
        yaml_case{"not_utf8", "a: \xFF", "", "is not UTF-8 text"}, yaml_case{"nul", std::string("a: \0", 4), "", "is not UTF-8 text"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
