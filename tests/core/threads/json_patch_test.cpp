#include "core/threads/json_patch.hpp"

#include "core/threads/state_text.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson {

namespace {

std::string canonical_of(std::string_view text) { return std::string(state_canonicalizer().canonical(text).value()); }

struct patch_case {
    std::string_view name;
    std::string state;
    std::string patch;
    std::string want;
};
void PrintTo(const patch_case& one, std::ostream* out) { *out << one.name; }

class Patch : public ::testing::TestWithParam<patch_case> { };

TEST_P(Patch, Applies)
{
    const auto& c = GetParam();
    const auto made = apply_patch(canonical_of(c.state), c.patch);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    EXPECT_EQ(*made, canonical_of(c.want));
}

// The cases of RFC 6902, appendix A, that succeed.
INSTANTIATE_TEST_SUITE_P(Rfc6902, Patch,
    ::testing::Values(
        patch_case{"a1_object_member", R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])", R"({"baz":"qux","foo":"bar"})"},
        patch_case{"a2_list_element", R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
            R"({"foo":["bar","qux","baz"]})"},
        patch_case{"a3_remove_member", R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})"},
        patch_case{
            "a4_remove_element", R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])", R"({"foo":["bar","baz"]})"},
        patch_case{"a5_replace", R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])",
            R"({"baz":"boo","foo":"bar"})"},
        patch_case{"a6_move", R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
            R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])", R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
        patch_case{"a7_move_element", R"({"foo":["all","grass","cows","eat"]})", R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
            R"({"foo":["all","cows","eat","grass"]})"},
        patch_case{"a8_test", R"({"baz":"qux","foo":["a",2,"c"]})",
            R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])", R"({"baz":"qux","foo":["a",2,"c"]})"},
        patch_case{"a10_nested_member", R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
            R"({"foo":"bar","child":{"grandchild":{}}})"},
        patch_case{"a11_unknown_members", R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])",
            R"({"foo":"bar","baz":"qux"})"},
        patch_case{"a14_escapes", R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])", R"({"/":9,"~1":10})"},
        patch_case{"a16_list_as_element", R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
            R"({"foo":["bar",["abc","def"]]})"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Cases, Patch,
    ::testing::Values(patch_case{"nothing", R"({"a":1})", "[]", R"({"a":1})"},
        patch_case{"add_to_a_member_that_is_there", R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
        patch_case{"add_the_whole", R"({"a":1})", R"([{"op":"add","path":"","value":[1]}])", "[1]"},
        patch_case{"replace_the_whole", "1", R"([{"op":"replace","path":"","value":2}])", "2"},
        patch_case{"add_at_the_end_by_its_index", "[1]", R"([{"op":"add","path":"/1","value":2}])", "[1,2]"},
        patch_case{"names_that_look_like_indexes", R"({"0":{"-":1}})",
            R"([{"op":"add","path":"/0/01","value":2},{"op":"remove","path":"/0/-"}])", R"({"0":{"01":2}})"},
        patch_case{"empty_name", R"({"":{"":1}})", R"([{"op":"replace","path":"//","value":2}])", R"({"":{"":2}})"},
        patch_case{"names_get_their_place", R"({"b":1})",
            R"([{"op":"add","path":"/c","value":2},{"op":"add","path":"/a","value":3},{"op":"add","path":"/\u0000\"","value":4}])",
            R"({"a":3,"b":1,"c":2,"\u0000\"":4})"},
        patch_case{"numbers_as_written", "[1]",
            R"([{"op":"add","path":"/-","value":1.10},{"op":"add","path":"/-","value":9007199254740993}])", "[1,1.10,9007199254740993]"},
        patch_case{"into_what_was_added", "{}",
            R"([{"op":"add","path":"/a","value":{"b":[]}},{"op":"add","path":"/a/b/-","value":1},{"op":"add","path":"/a/b/0","value":0}])",
            R"({"a":{"b":[0,1]}})"},
        patch_case{"move_over_another", R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
        patch_case{"move_to_itself", R"({"a":[1]})", R"([{"op":"move","from":"/a/0","path":"/a/0"}])", R"({"a":[1]})"},
        patch_case{"move_up", R"({"a":{"b":{"c":1}}})", R"([{"op":"move","from":"/a/b","path":"/a"}])", R"({"a":{"c":1}})"},
        patch_case{"move_to_the_top", R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":""}])", R"({"b":1})"},
        patch_case{"move_to_a_name_that_begins_alike", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/ab"}])", R"({"ab":1})"},
        patch_case{"copies_are_apart", R"({"a":{"x":[1]}})",
            R"([{"op":"add","path":"/a/x/-","value":2},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/x/0","value":0},)"
            R"({"op":"remove","path":"/a/x/0"}])",
            R"({"a":{"x":[2]},"b":{"x":[0,1,2]}})"},
        patch_case{
            "copy_into_itself", R"({"a":{"b":1}})", R"([{"op":"copy","from":"","path":"/a/c"}])", R"({"a":{"b":1,"c":{"a":{"b":1}}}})"},
        patch_case{"test_of_the_whole", R"({"a":[1,{"b":null}]})", R"([{"op":"test","path":"","value":{"a":[1,{"b":null}]}}])",
            R"({"a":[1,{"b":null}]})"},
        patch_case{"test_of_what_was_changed", R"({"b":[1]})",
            R"([{"op":"add","path":"/a","value":true},{"op":"add","path":"/b/-","value":2},{"op":"test","path":"","value":{"b":[1,2],"a":true}}])",
            R"({"a":true,"b":[1,2]})"},
        patch_case{"test_of_numbers_by_value", "[1.0,100,{\"a\":[-0]},1e400]",
            R"([{"op":"test","path":"/0","value":1},{"op":"test","path":"/1","value":1e2},{"op":"test","path":"","value":[1,1E2,{"a":[0.0]},10e399]}])",
            "[1.0,100,{\"a\":[-0]},1e400]"}),
    [](const auto& info) { return std::string(info.param.name); });

struct refusal_case {
    std::string_view name;
    std::string state;
    std::string patch;
    std::string want;
    errc code = errc::conflict;
};
void PrintTo(const refusal_case& one, std::ostream* out) { *out << one.name; }

class RefusedPatch : public ::testing::TestWithParam<refusal_case> { };

TEST_P(RefusedPatch, NamesTheOperation)
{
    const auto& c = GetParam();
    const auto made = apply_patch(canonical_of(c.state), c.patch, {.max_operations = 3, .max_bytes = 60, .max_depth = 4});
    ASSERT_TRUE(made.has_error()) << *made;
    EXPECT_EQ(made.error().detail, c.want);
    EXPECT_EQ(made.error().code, c.code);
}

// The cases of RFC 6902, appendix A, that fail.
INSTANTIATE_TEST_SUITE_P(Rfc6902, RefusedPatch,
    ::testing::Values(refusal_case{"a9_test", R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])",
                          R"(operation 1 (test "/baz"): the value there is another)"},
        refusal_case{"a12_nonexistent_target", R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])",
            R"(operation 1 (add "/baz/bat"): there is nothing that could have it)"},
        refusal_case{"a13_same_member_twice", "{}", R"([{"op":"add","path":"/baz","value":"qux","op":"remove"}])",
            R"(the patch has the name "op" twice in one object, at /0 (byte 54))", errc::bad_request},
        refusal_case{"a15_string_and_number", R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])",
            R"(operation 1 (test "/~01"): the value there is another)"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(State, RefusedPatch,
    ::testing::Values(refusal_case{"remove_what_is_not_there", R"({"a":1})", R"([{"op":"remove","path":"/b"}])",
                          R"(operation 1 (remove "/b"): there is no value at that path)"},
        refusal_case{"replace_what_is_not_there", "[1]", R"([{"op":"replace","path":"/1","value":2}])",
            R"(operation 1 (replace "/1"): there is no value at that path)"},
        refusal_case{"remove_behind_the_end", "[1]", R"([{"op":"remove","path":"/-"}])",
            R"(operation 1 (remove "/-"): there is no value at that path)"},
        refusal_case{"test_what_is_not_there", "{}", R"([{"op":"test","path":"/a","value":null}])",
            R"(operation 1 (test "/a"): there is no value at that path)"},
        refusal_case{
            "beyond_the_end", "[1]", R"([{"op":"add","path":"/2","value":2}])", R"(operation 1 (add "/2"): the list has 1 element only)"},
        refusal_case{"name_in_a_list", "[1]", R"([{"op":"add","path":"/a","value":2}])",
            R"(operation 1 (add "/a"): there is a list, whose elements have indexes, not names)"},
        refusal_case{"leading_zero", "[1,2]", R"([{"op":"remove","path":"/01"}])",
            R"(operation 1 (remove "/01"): there is a list, whose elements have indexes, not names)"},
        refusal_case{"within_a_number", R"({"a":1})", R"([{"op":"add","path":"/a/b","value":2}])",
            R"(operation 1 (add "/a/b"): there is neither an object nor a list that could have it)"},
        refusal_case{"the_second_one", R"({"a":1})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}])",
            R"(operation 2 (remove "/a"): there is no value at that path)"},
        refusal_case{"move_what_is_not_there", "{}", R"([{"op":"move","from":"/a","path":"/b"}])",
            R"(operation 1 (move "/b"): there is no value at that path)"},
        refusal_case{"move_nothing_to_itself", "{}", R"([{"op":"move","from":"/a","path":"/a"}])",
            R"(operation 1 (move "/a"): there is no value at that path)"},
        refusal_case{
            "test_of_more", "[1,2]", R"([{"op":"test","path":"","value":[1]}])", R"(operation 1 (test ""): the value there is another)"},
        refusal_case{"test_of_other_names", R"({"a":1})", R"([{"op":"test","path":"","value":{"b":1}}])",
            R"(operation 1 (test ""): the value there is another)"},
        refusal_case{"test_of_numbers_that_doubles_confuse", "9007199254740993", R"([{"op":"test","path":"","value":9007199254740992}])",
            R"(operation 1 (test ""): the value there is another)"},
        refusal_case{"test_of_what_was_changed", "[1]", R"([{"op":"add","path":"/-","value":2},{"op":"test","path":"","value":[1,3]}])",
            R"(operation 2 (test ""): the value there is another)"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Form, RefusedPatch,
    ::testing::Values(refusal_case{"no_json", "1", "[{]", "the patch is not valid JSON: syntax error, at /0 (byte 2)", errc::bad_request},
        refusal_case{"no_list", "1", R"({"op":"add"})", "a patch must be a list of operations", errc::bad_request},
        refusal_case{"no_object", "1", "[1]", "operation 1: it must be an object", errc::bad_request},
        refusal_case{"no_op", "1", R"([{"path":""}])", R"(operation 1: it has no "op")", errc::bad_request},
        refusal_case{"op_is_no_string", "1", R"([{"op":1,"path":""}])", R"(operation 1: its "op" must be a string)", errc::bad_request},
        refusal_case{"unknown_op", "1", R"([{"op":"merge","path":""}])",
            R"(operation 1 (merge ""): its "op" must be add, remove, replace, move, copy or test)", errc::bad_request},
        refusal_case{"no_path", "1", R"([{"op":"remove"}])", R"(operation 1: it has no "path")", errc::bad_request},
        refusal_case{"bad_path", "1", R"([{"op":"remove","path":"a"}])", R"(operation 1: its "path" must begin with "/" or be empty)",
            errc::bad_request},
        refusal_case{"no_value", "1", R"([{"op":"add","path":""}])", R"(operation 1 (add ""): it has no "value")", errc::bad_request},
        refusal_case{"no_from", "1", R"([{"op":"copy","path":""}])", R"(operation 1 (copy ""): it has no "from")", errc::bad_request},
        refusal_case{"bad_from", "1", R"([{"op":"move","path":"","from":"/~"}])",
            R"(operation 1 (move ""): its "from" has a "~" that neither 0 nor 1 follows)", errc::bad_request},
        refusal_case{"move_into_itself", R"({"a":{}})", R"([{"op":"move","from":"/a","path":"/a/b"}])",
            R"(operation 1 (move "/a/b"): a value cannot be moved into itself)", errc::bad_request},
        refusal_case{"remove_the_whole", "{}", R"([{"op":"remove","path":""}])",
            R"(operation 1 (remove ""): the whole state cannot be removed)", errc::bad_request}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Bounds, RefusedPatch,
    ::testing::Values(refusal_case{"too_many_operations", "1",
                          R"([{"op":"test","path":"","value":1},{"op":"test","path":"","value":1},{"op":"test","path":"","value":1},{}])",
                          "a patch may have 3 operations, not 4", errc::too_large},
        refusal_case{"too_large", "[]",
            R"([{"op":"add","path":"/-","value":"0123456789012345678901234567890123456789012345678901234567"}])",
            "the state would be longer than 60 bytes", errc::too_large},
        refusal_case{"too_large_by_copies", R"({"a":"0123456789"})",
            R"([{"op":"copy","from":"","path":"/b"},{"op":"copy","from":"","path":"/c"},{"op":"copy","from":"","path":"/d"}])",
            "the state would be longer than 60 bytes", errc::too_large},
        refusal_case{"too_deep", R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":[[[]]]}])",
            R"(operation 1 (add "/a/b"): the state would be nested more than 4 levels deep)", errc::too_large},
        refusal_case{"too_deep_by_copies", R"([[[1]]])", R"([{"op":"copy","from":"","path":"/0/0/0"}])",
            R"(operation 1 (copy "/0/0/0"): the state would be nested more than 4 levels deep)", errc::too_large},
        refusal_case{"too_deep_by_a_move_of_what_was_changed", R"({"a":[[]],"b":[[[]]]})",
            R"([{"op":"add","path":"/b/0/0/0","value":0},{"op":"move","from":"/b","path":"/a/0/0"}])",
            R"(operation 2 (move "/a/0/0"): the state would be nested more than 4 levels deep)", errc::too_large}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PatchOfManyElements, EndsAtItsSteps)
{
    std::string list = "[0";
    for (int i = 0; i < 1'000; ++i)
        list += ",0";
    list += "]";
    std::string patch = "[";
    for (int i = 0; i < 100; ++i)
        patch += R"({"op":"add","path":"/0","value":1},{"op":"add","path":"/-","value":1},)";
    patch.back() = ']';
    EXPECT_TRUE(apply_patch(list, patch).has_value());
    const auto refused = apply_patch(list, patch, {.max_steps = 100'000});
    EXPECT_EQ(refused.error().code, errc::too_large);
    EXPECT_TRUE(refused.error().detail.ends_with("the patch takes too many steps")) << refused.error().detail;
}

TEST(PatchOfDoublingCopies, EndsBeforeTheMemoryDoes)
{
    std::string patch = R"([{"op":"add","path":"/a","value":[1,2,3]})";
    for (int i = 0; i < 60; ++i)
        patch += R"(,{"op":"add","path":"/a/-","value":0},{"op":"copy","from":"/a","path":"/a/0"})";
    EXPECT_EQ(apply_patch("{}", patch + "]", {.max_steps = 1'000'000}).error().code, errc::too_large);
}

}    // namespace

}    // namespace caisson
