#include "app/cli/thread_views.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace caisson::cli {

namespace {

struct tree_case {
    const char* name;
    const char* items;    // "id<parent", the newest first
    const char* want;     // lines; an item's with its id
};
class ThreadTree : public ::testing::TestWithParam<tree_case> { };

std::vector<tree_item> items_of(std::string_view text)
{
    std::vector<tree_item> items;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        const auto sign = word.find('<');
        items.push_back({std::string(word.substr(0, sign)), sign == std::string_view::npos ? "" : std::string(word.substr(sign + 1))});
        text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
    return items;
}

TEST_P(ThreadTree, IsDrawn)
{
    const auto& c = GetParam();
    const auto items = items_of(c.items);
    std::string text;
    for (const auto& line : draw_tree(items))
        text += line.drawing + (line.is_item ? items[line.item].id : "") + "\n";
    EXPECT_EQ(text, c.want);
}

constexpr tree_case tree_cases[] = {
    {"nothing", "", ""},
    {"one", "a", "* a\n"},
    {"chain", "c<b b<a a", "* c\n* b\n* a\n"},
    {"fork", "d<a c<b b<a a", "* d\n| * c\n| * b\n|/\n* a\n"},
    {"two_forks", "d<a c<a b<a a", "* d\n| * c\n| | * b\n|/ |\n|/\n* a\n"},
    {"two_roots", "b a", "* b\n* a\n"},
    {"roots_side_by_side", "d<a c<b b a", "* d\n| * c\n| * b\n* a\n"},
    {"a_page_that_ends_early", "d<b c<a", "* d\n| * c\n"},
    {"over_a_lane", "e<a d<b c<a b<z a", "* e\n| * d\n| | * c\n| * | b\n|_|/\n* | a\n"},
};
INSTANTIATE_TEST_SUITE_P(Cases, ThreadTree, ::testing::ValuesIn(tree_cases), [](const auto& info) { return std::string(info.param.name); });

TEST(ThreadLog, TellsWhatACheckpointIs)
{
    const auto items = boost::json::parse(R"([
        {"id":"c","parent_id":"a","created_at":"2026-01-31T12:00:00.000Z","size_bytes":2048,"gap":0,"rollback_of":"a","pinned":true,
         "metadata":{"step":3,"node_id":"plan","tags":["x"]}},
        {"id":"a","parent_id":null,"created_at":"2026-01-31T11:59:00.000Z","size_bytes":1,"gap":2,"pinned":false,"metadata":{}}])");
    const auto text = thread_log(items.as_array(), 1'769'860'860'000, false);
    EXPECT_NE(text.find("* c  "), std::string::npos) << text;
    EXPECT_NE(text.find("  step 3  plan  #x  (back to a)  (pinned)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  (2 dropped before it)\n"), std::string::npos) << text;
}

struct patch_case {
    const char* name;
    const char* patch;
    const char* want;
};
class PatchText : public ::testing::TestWithParam<patch_case> { };

TEST_P(PatchText, HasOneLineForEachOperation) { EXPECT_EQ(patch_text(GetParam().patch, false), GetParam().want); }

constexpr patch_case patch_cases[] = {
    {"nothing", "[]", ""},
    {"each", R"([{"op":"add","path":"/a","value":[1]},{"op":"remove","path":"/b"},{"op":"replace","path":"/c","value":"x\u001b[2J"}])",
        "+ /a  [1]\n- /b\n~ /c  \"x\\u001b[2J\"\n"},
    {"the_whole_state", R"([{"op":"replace","path":"","value":1}])", "~ (the whole state)  1\n"},
    {"numbers_as_they_stand", R"([{"op":"add","path":"/n","value":[0.10,123456789012345678901234567890,1e400]}])",
        "+ /n  [0.10,123456789012345678901234567890,1e400]\n"},
    {"what_turns_the_text", "[{\"op\":\"add\",\"path\":\"/\xE2\x80\xAE\",\"value\":\"\xC2\x9B\"}]", "+ /   \" \"\n"},
};
INSTANTIATE_TEST_SUITE_P(Cases, PatchText, ::testing::ValuesIn(patch_cases), [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson::cli
