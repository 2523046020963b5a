#include "core/threads/json_patch.hpp"
#include "core/threads/state_text.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <stdexcept>
#include <string>

namespace caisson {

namespace {

using namespace std::string_literals;

std::string canonical_of(std::string_view text) { return std::string(state_canonicalizer().canonical(text).value()); }

struct diff_case {
    std::string_view name;
    std::string from;
    std::string to;
    std::string want;
    diff_bounds bounds = {};
};
void PrintTo(const diff_case& one, std::ostream* out) { *out << one.name; }

class Diff : public ::testing::TestWithParam<diff_case> { };

TEST_P(Diff, SaysWhatChangedAndApplies)
{
    const auto& c = GetParam();
    const auto from = canonical_of(c.from);
    const auto to = canonical_of(c.to);
    const auto patch = diff_states(from, to, c.bounds);
    EXPECT_EQ(patch, c.want);
    EXPECT_EQ(patch, canonical_of(patch));
    EXPECT_EQ(apply_patch(from, patch).value(), to);
}

INSTANTIATE_TEST_SUITE_P(Objects, Diff,
    ::testing::Values(diff_case{"same", R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})", "[]"},
        diff_case{"added", R"({"a":1})", R"({"a":1,"b":2})", R"([{"op":"add","path":"/b","value":2}])"},
        diff_case{"removed", R"({"a":1,"b":2})", R"({"b":2})", R"([{"op":"remove","path":"/a"}])"},
        diff_case{"changed", R"({"a":1,"b":2})", R"({"a":1,"b":"2"})", R"([{"op":"replace","path":"/b","value":"2"}])"},
        diff_case{"all_three", R"({"a":1,"b":2})", R"({"b":3,"c":4})",
            R"([{"op":"remove","path":"/a"},{"op":"replace","path":"/b","value":3},{"op":"add","path":"/c","value":4}])"},
        diff_case{"nested", R"({"a":{"b":{"c":1,"long":"aaaaaaaaaaaaaaaaaaaa"}}})", R"({"a":{"b":{"c":2,"long":"aaaaaaaaaaaaaaaaaaaa"}}})",
            R"([{"op":"replace","path":"/a/b/c","value":2}])"},
        diff_case{"a_part_that_is_shorter_than_its_changes", R"({"a":{"b":1,"c":2},"d":0})", R"({"a":{"b":3,"c":4},"d":0})",
            R"([{"op":"replace","path":"/a","value":{"b":3,"c":4}}])"},
        diff_case{"other_kind", R"({"a":{}})", R"({"a":[]})", R"([{"op":"replace","path":"/a","value":[]}])"},
        diff_case{"names_with_slashes", R"({"a/b":1,"m~n":2,"~1":3})", R"({"a/b":2,"m~n":2})",
            R"([{"op":"replace","path":"/a~1b","value":2},{"op":"remove","path":"/~01"}])"},
        diff_case{"names_with_escapes", R"({"\"":1,"\\":1,"\u0000":1})", R"({"\"":2,"\\":1})",
            R"([{"op":"remove","path":"/\u0000"},{"op":"replace","path":"/\"","value":2}])"},
        diff_case{"empty_name", R"({"":{"":0,"x":"aaaaaaaaaaaaaaaaa"}})", R"({"":{"":1,"x":"aaaaaaaaaaaaaaaaa"}})",
            R"([{"op":"replace","path":"//","value":1}])"},
        diff_case{"names_ordered_by_what_they_stand_for", R"({"\u0001":1,"A":1})", R"({"!":2,"\u0001":1})",
            R"([{"op":"add","path":"/!","value":2},{"op":"remove","path":"/A"}])"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Values, Diff,
    ::testing::Values(diff_case{"top", "1", "2", R"([{"op":"replace","path":"","value":2}])"},
        diff_case{"top_kind", "{}", "[]", R"([{"op":"replace","path":"","value":[]}])"},
        diff_case{"exact_numbers", R"({"a":9007199254740992})", R"({"a":9007199254740993})",
            R"([{"op":"replace","path":"/a","value":9007199254740993}])"},
        diff_case{"numbers_as_written", R"({"a":1.1})", R"({"a":1.10})", R"([{"op":"replace","path":"/a","value":1.10}])"},
        diff_case{"beyond_doubles", R"({"a":1e400})", R"({"a":1e401})", R"([{"op":"replace","path":"/a","value":1e401}])"},
        diff_case{"longer_than_the_state", R"({"a":1,"b":1,"c":1})", R"({"a":2,"b":2,"c":2})",
            R"([{"op":"replace","path":"","value":{"a":2,"b":2,"c":2}}])", {.spare_bytes = 0}},
        diff_case{"a_small_state_by_its_parts", R"({"a":1,"b":1})", R"({"a":2,"b":2})",
            R"([{"op":"replace","path":"/a","value":2},{"op":"replace","path":"/b","value":2}])"},
        diff_case{"too_many_operations", R"({"a":1,"b":1,"c":1})", R"({"a":2,"b":2,"c":2})",
            R"([{"op":"replace","path":"","value":{"a":2,"b":2,"c":2}}])", {.max_operations = 2}},
        diff_case{"as_many_operations_as_may_be", R"({"a":1,"b":1,"c":1})", R"({"a":2,"b":2,"c":1})",
            R"([{"op":"replace","path":"/a","value":2},{"op":"replace","path":"/b","value":2}])", {.max_operations = 2}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Lists, Diff,
    ::testing::Values(diff_case{"added_first", "[1,2,3]", "[0,1,2,3]", R"([{"op":"add","path":"/0","value":0}])"},
        diff_case{"added_last", "[1,2]", "[1,2,3]", R"([{"op":"add","path":"/2","value":3}])"},
        diff_case{"added_to_none", "[]", "[1]", R"([{"op":"add","path":"/0","value":1}])"},
        diff_case{"removed_first", "[1,2,3]", "[2,3]", R"([{"op":"remove","path":"/0"}])"},
        diff_case{"removed_in_a_row", "[1,2,3,4]", "[1,4]", R"([{"op":"remove","path":"/1"},{"op":"remove","path":"/1"}])"},
        diff_case{"changed", "[1,2,3]", "[1,9,3]", R"([{"op":"replace","path":"/1","value":9}])"},
        diff_case{"at_several_places", "[1,2,3,4,5,6]", "[0,1,3,4,7,8,6]",
            R"([{"op":"add","path":"/0","value":0},{"op":"remove","path":"/2"},{"op":"replace","path":"/4","value":7},)"
            R"({"op":"add","path":"/5","value":8}])"},
        diff_case{"inside_of_an_element", R"([{"id":1,"text":"aaaaaaaaaaaaaaaaaaaaaaaa","n":1},2])",
            R"([{"id":1,"text":"aaaaaaaaaaaaaaaaaaaaaaaa","n":2},2,3])",
            R"([{"op":"replace","path":"/0/n","value":2},{"op":"add","path":"/2","value":3}])"},
        diff_case{
            "changed_and_removed", "[1,2,3,4,5]", "[0,2,3,4]", R"([{"op":"replace","path":"/0","value":0},{"op":"remove","path":"/4"}])"},
        diff_case{"by_index_if_no_steps_are_allowed", "[1,2,3,9]", "[2,3,1,9]",
            R"([{"op":"replace","path":"/0","value":2},{"op":"replace","path":"/1","value":3},{"op":"replace","path":"/2","value":1}])",
            {.max_steps = 0}},
        diff_case{"in_lists", "[[1,2],[3,4]]", "[[1,2],[3]]", R"([{"op":"remove","path":"/1/1"}])"}),
    [](const auto& info) { return std::string(info.param.name); });

/// A list of messages as agents have them, the first of number `first`.
std::string messages(int first, int count)
{
    std::string list;
    for (int i = first; i < first + count; ++i)
        list += (list.empty() ? "[" : ",") + R"({"content":"message )"s + std::to_string(i) + R"(","role":"user"})";
    return list + "]";
}

TEST(DiffOfMessages, IsOneOperationForOneMessage)
{
    const auto one = [](int i) { return R"({"content":"message )" + std::to_string(i) + R"(","role":"user"})"; };
    EXPECT_EQ(diff_states(messages(1, 1'000), messages(0, 1'001)), R"([{"op":"add","path":"/0","value":)" + one(0) + "}]");
    EXPECT_EQ(diff_states(messages(0, 1'000), messages(0, 1'001)), R"([{"op":"add","path":"/1000","value":)" + one(1'000) + "}]");
    EXPECT_EQ(diff_states(messages(0, 1'000), messages(1, 1'000)),
        R"([{"op":"remove","path":"/0"},{"op":"add","path":"/999","value":)" + one(1'000) + "}]");
}

TEST(DiffOfMessages, IsTwoOperationsForAWindowThatMoves)
{
    EXPECT_EQ(diff_states(messages(0, 3'000), messages(1, 3'000)),
        R"([{"op":"remove","path":"/0"},{"op":"add","path":"/2999","value":{"content":"message 3000","role":"user"}}])");
}

TEST(DiffOfMessages, GoesByIndexesWhereComparingTakesTooLong)
{
    const auto from = messages(0, 3'000);
    const auto to = messages(1, 3'000);
    const auto patch = diff_states(from, to, {.max_steps = 5'000});
    EXPECT_GT(patch.size(), to.size());
    EXPECT_LT(patch.size(), to.size() + 1'100);
    EXPECT_EQ(apply_patch(from, patch).value(), to);
}

TEST(DiffOfLists, AllOfAStateShareTheSteps)
{
    const auto numbers = [](int first) {
        std::string list = "[";
        for (int i = 0; i < 100; ++i)
            list += (i == 0 ? "" : ",") + std::to_string((first + i) % 100);
        return list + "]";
    };
    const auto state = [&](int first) { return R"({"a":)" + numbers(first) + R"(,"b":)" + numbers(first) + "}"; };
    const std::string moved = R"({"op":"remove","path":"/a/0"},{"op":"add","path":"/a/99","value":0})";
    const auto enough = diff_states(state(0), state(1), {.max_steps = 1'000, .spare_bytes = 0});
    EXPECT_EQ(enough, "[" + moved + R"(,{"op":"remove","path":"/b/0"},{"op":"add","path":"/b/99","value":0}])");
    const auto of_one = diff_states(state(0), state(1), {.max_steps = 450, .spare_bytes = 0});
    EXPECT_EQ(of_one, "[" + moved + R"(,{"op":"replace","path":"/b","value":)" + numbers(1) + "}]");
}

/// Makes states, and others like them, by a seed.
class state_maker {
public:
    explicit state_maker(unsigned seed) : random_(seed) { }

    std::string state(int depth)
    {
        switch (below(depth > 0 ? 6 : 4)) {
        case 0: return number();
        case 1: return text();
        case 2: return below(2) == 0 ? "null" : "true";
        case 3: return below(2) == 0 ? "[]" : "{}";
        case 4: return list(depth);
        default: return object(depth);
        }
    }

    /// `state` with some of its characters' runs replaced by others; canonical again, or nothing if that is no state.
    std::string like(const std::string& state)
    {
        state_canonicalizer canonicalizer;
        for (int tries = 0; tries < 20; ++tries) {
            auto other = state;
            for (auto changes = 1 + below(3); changes > 0; --changes)
                change(other);
            if (const auto form = canonicalizer.canonical(other); form.has_value())
                return std::string(*form);
        }
        return state;
    }

private:
    unsigned below(unsigned most) { return static_cast<unsigned>(random_() % most); }

    std::string number()
    {
        static constexpr const char* some[] = {"0", "-0", "1", "1.0", "1e400", "9007199254740993", "12", "3"};
        return some[below(8)];
    }
    std::string text()
    {
        static constexpr const char* some[] = {
            R"("")", R"("a")", R"("\u0000")", R"("a/b~c")", "\"\xC3\xA9\"", R"("\"\\")", R"("word")", R"("]},{")"};
        return some[below(8)];
    }
    std::string list(int depth)
    {
        std::string all;
        for (auto left = below(8); left > 0; --left)
            all += (all.empty() ? "" : ",") + state(depth - 1);
        return "[" + all + "]";
    }
    std::string object(int depth)
    {
        static constexpr const char* names[] = {R"("a")", R"("b")", R"("~")", R"("/")", R"("\n")", R"("")"};
        std::string all;
        for (const auto* name : names)
            if (below(2) == 0)
                all.append(all.empty() ? "" : ",").append(name).append(":").append(state(depth - 1));
        return "{" + all + "}";
    }
    void change(std::string& state)
    {
        const auto comma = state.find(',', below(static_cast<unsigned>(state.size()) + 1));
        switch (below(3)) {
        case 0: state.insert(comma == std::string::npos ? state.size() : comma, "," + this->state(1)); break;
        case 1: state.erase(comma == std::string::npos ? 0 : comma, 2 + below(4)); break;
        default:
            if (const auto at = state.find_first_of("0123", below(static_cast<unsigned>(state.size()) + 1)); at != std::string::npos)
                state.replace(at, 1, this->state(2));
        }
    }

    std::mt19937 random_;
};

class DiffOfAnyStates : public ::testing::TestWithParam<unsigned> { };

TEST_P(DiffOfAnyStates, AppliesAndIsNotLargerThanTheState)
{
    state_maker make(GetParam());
    for (int i = 0; i < 1'000; ++i) {
        const auto from = canonical_of(make.state(5));
        const auto to = i % 4 == 0 ? canonical_of(make.state(5)) : make.like(from);
        const diff_bounds bounds{
            .max_operations = i % 3 == 0 ? 3U : 10'000U, .max_steps = i % 5 == 0 ? 4U : 1'000U, .spare_bytes = i % 2 == 0 ? 0U : 1'024U};
        const auto patch = diff_states(from, to, bounds);
        ASSERT_EQ(patch, canonical_of(patch));
        ASSERT_LE(patch.size(), to.size() + bounds.spare_bytes + 40) << from << "\n" << to;
        const auto made = apply_patch(from, patch);
        ASSERT_TRUE(made.has_value()) << made.error().detail << "\n" << from << "\n" << to << "\n" << patch;
        ASSERT_EQ(*made, to) << from << "\n" << patch;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DiffOfAnyStates, ::testing::Values(1U, 2U, 3U, 4U));

TEST(DiffOfStates, ThrowsOnWhatIsNotCanonical) { EXPECT_THROW(diff_states("{", "{}"), std::invalid_argument); }

}    // namespace

}    // namespace caisson
