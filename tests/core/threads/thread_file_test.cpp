#include "core/threads/thread_file.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "core/threads/json_members.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

/// Keeps states as they are.
class plain_packer : public state_packer {
public:
    packed_state pack(state_info info, std::string digest, std::string_view text, const packing_base*) const override
    {
        return {std::move(info), std::move(digest), std::nullopt, {}, shared_bytes(std::string(text))};
    }
    bool wants_base(std::size_t) const override { return false; }
};

const plain_packer packer;

loaded_checkpoint checkpoint(std::int64_t position, const char* state)
{
    auto settled = settle_state(state, "application/json", {}, &make_sha256_hasher);
    loaded_checkpoint one;
    one.row.id = checkpoint_id::from_trusted("c" + std::to_string(position));
    one.row.position = position;
    if (position > 1)
        one.row.parent = checkpoint_id::from_trusted("c" + std::to_string(position - 1));
    one.row.created_at_ms = 1'700'000'000'000 + position;
    one.row.state = settled->info;
    one.state = settled->text;
    return one;
}

std::vector<loaded_checkpoint> some_checkpoints()
{
    auto one = checkpoint(1, R"({"a":1.0})");
    one.row.metadata = {-3, "node", {"x", "\"y\""}, R"({"k":[1,2],"n":1.50})"};
    one.row.pinned = true;
    one.request = std::string(32, '\x9f');
    auto two = checkpoint(2, R"({"a":1.0})");
    two.row.position = 12;
    two.row.gap = 4;
    two.row.rollback_of = one.row.id;
    auto three = checkpoint(5, "\"text\\n\"");
    three.row.position = 15;
    three.row.parent = two.row.id;
    auto settled = settle_state("\xff\x01", "x/y", {}, &make_sha256_hasher);
    auto four = checkpoint(6, "1");
    four.row.position = 16;
    four.row.parent.reset();
    four.row.state = settled->info;
    four.state = settled->text;
    return {one, two, three, four};
}

std::string file_of(const std::vector<loaded_checkpoint>& all)
{
    thread_row thread;
    thread.name = thread_name("t");
    thread.retention = {7, 1'000};
    thread_file_writer writer(thread, &make_sha256_hasher);
    auto text = writer.lines({all.begin(), all.begin() + 1});
    text += writer.lines({all.begin() + 1, all.end()});
    return text + writer.end();
}

struct reading {
    result<void> outcome;
    std::vector<checkpoint_draft> drafts;
    retention_policy policy;
};

reading read(std::string_view text, std::size_t piece = 1'000'000, state_bounds bounds = {})
{
    constexpr std::int64_t now_ms = 1'800'000'000'000;
    thread_file_reader reader({tenant_id::from_trusted("ten_1"), packer, &make_sha256_hasher, bounds, now_ms});
    result<void> outcome;
    for (std::size_t at = 0; at < text.size() && outcome.has_value(); at += piece)
        outcome = reader.feed(text.substr(at, piece), nullptr);
    if (outcome.has_value())
        outcome = reader.finish();
    return {outcome, reader.take(), reader.policy()};
}

class ThreadFilePieces : public ::testing::TestWithParam<std::size_t> { };

TEST_P(ThreadFilePieces, IsReadBackHoweverItIsCut)
{
    const auto all = some_checkpoints();
    const auto found = read(file_of(all), GetParam());
    ASSERT_TRUE(found.outcome.has_value()) << found.outcome.error().detail;
    EXPECT_EQ(found.policy, (retention_policy{7, 1'000}));
    ASSERT_EQ(found.drafts.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& row = found.drafts[i].row;
        EXPECT_EQ(row.id, all[i].row.id);
        EXPECT_EQ(row.position, all[i].row.position);
        EXPECT_EQ(row.parent, all[i].row.parent);
        EXPECT_EQ(row.gap, all[i].row.gap);
        EXPECT_EQ(row.rollback_of, all[i].row.rollback_of);
        EXPECT_EQ(row.metadata, all[i].row.metadata);
        EXPECT_EQ(row.pinned, all[i].row.pinned);
        EXPECT_EQ(row.created_at_ms, all[i].row.created_at_ms);
        EXPECT_EQ(row.state.digest, all[i].row.state.digest);
        EXPECT_EQ(row.state.size_bytes, all[i].row.state.size_bytes);
        EXPECT_EQ(row.state.media_type, all[i].row.state.media_type);
        EXPECT_EQ(found.drafts[i].request.digest, all[i].request);
    }
    EXPECT_EQ(found.drafts[0].state.bytes, R"({"a":1.0})");
    EXPECT_TRUE(found.drafts[1].state.bytes.empty());    // the same as before
    EXPECT_EQ(found.drafts[3].state.bytes, "\xff\x01");
}
INSTANTIATE_TEST_SUITE_P(Sizes, ThreadFilePieces, ::testing::Values(1, 7, 100, 1'000'000));

struct spoilt_case {
    const char* name;
    const char* from;    // what is replaced
    const char* to;
    const char* says;
};
class SpoiltThreadFile : public ::testing::TestWithParam<spoilt_case> { };

TEST_P(SpoiltThreadFile, IsRefused)
{
    const auto& c = GetParam();
    auto text = file_of(some_checkpoints());
    const auto at = text.find(c.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string_view(c.from).size(), c.to);
    const auto found = read(text);
    ASSERT_TRUE(found.outcome.has_error());
    EXPECT_EQ(found.outcome.error().code, errc::bad_request);
    EXPECT_NE(found.outcome.error().detail.find(c.says), std::string::npos) << found.outcome.error().detail;
}

constexpr spoilt_case spoilt_cases[] = {
    {"another_version", R"("caisson_thread":1)", R"("caisson_thread":2)", "line 1 must be the head"},
    {"no_head", R"({"caisson_thread")", R"({"x")", "line 1 must be the head"},
    {"policy", R"("max_checkpoints":7)", R"("max_checkpoints":0)", "line 1 has a max_checkpoints that must be between"},
    {"another_state", R"({"a":1.0})", R"({"a":1.1})", "line 3 is not the state"},
    {"no_state", R"({"a":1.0})", "nonsense", "line 3 cannot be taken: state"},
    {"no_base64", R"("/wE=")", R"("/wE")", "must be base64 within quotes"},
    {"odd_id", R"("id":"c1")", R"("id":"c/1")", "line 4 has an id that must be"},
    {"address_as_id", R"("id":"c1")", R"("id":"latest")", "line 4 has an id that is an address"},
    {"id_twice", R"("id":"c2")", R"("id":"c1")", "has the id of an earlier checkpoint"},
    {"cycle", R"("parent_id":"c1")", R"("parent_id":"c2")", "names no earlier checkpoint"},
    {"later_parent", R"("parent_id":"c1")", R"("parent_id":"c5")", "names no earlier checkpoint"},
    {"position", R"("position":12)", R"("position":1)", "must have a position above"},
    {"gap", R"("gap":4)", R"("gap":-4)", "a gap that is not negative"},
    {"gap_of_more_than_lay_between", R"("gap":4)", R"("gap":11)", "no more checkpoints than lay between it and its parent"},
    {"gap_before_the_first", R"("gap":0,"id":"c1")", R"("gap":1,"id":"c1")", "no more checkpoints than lay between it and its parent"},
    {"huge_gap", R"("gap":4)", R"("gap":9007199254740991)", "no more checkpoints than lay between it and its parent"},
    {"policy_is_no_integer", R"("max_checkpoints":7)", R"("max_checkpoints":"7")", "line 1 has a max_checkpoints that is no integer"},
    {"ttl_is_no_integer", R"("ttl_ms":1000)", R"("ttl_ms":0.5)", "line 1 has a ttl_ms that is no integer"},
    {"unknown_in_the_head", R"("ttl_ms":1000)", R"("ttl":1000)", "line 1 has a ttl that is not known"},
    {"unknown_of_a_state", R"("encoding":"json"})", R"("encoding":"json","x":1})", "line 2 has a x that is not known"},
    {"unknown_of_a_checkpoint", R"("gap":4)", R"("gap":4,"hole":4)", "has a hole that is not known"},
    {"unknown_of_the_end", R"("checkpoints":4)", R"("checkpoints":4,"by":"me")", "has a by that is not known"},
    {"time", "2023-11-14T22:13:20.002Z", "2023-11-14T22:13:20.000Z", "neither before the one of the checkpoint before"},
    {"time_to_come", "2023-11-14T22:13:20.006Z", "2027-01-16T08:00:00.001Z", "nor more than a day ahead"},
    {"time_long_ago", "2023-11-14T22:13:20.001Z", "0001-11-14T22:13:20.001Z", "a created_at from 1970 on"},
    {"time_is_no_text", R"("created_at":"2023-11-14T22:13:20.001Z")", R"("created_at":1)", "line 4 has a created_at that is no text"},
    {"far_position", R"("position":16)", R"("position":9007199254740991)", "must have a position above the one before, at most"},
    {"step_is_no_integer", R"("step":-3)", R"("step":"x")", "line 4 has a step that is no integer"},
    {"pin_is_no_flag", R"("pinned":true)", R"("pinned":"yes")", "line 4 has a pinned that is neither true nor false"},
    {"parent_is_no_text", R"("parent_id":"c1")", R"("parent_id":7)", "has a parent_id that is no text"},
    {"tags_are_no_list", R"("tags":["x","\"y\""])", R"("tags":"x")", "line 4 has a tags that are no list of texts"},
    {"tag_is_no_text", R"("tags":["x",)", R"("tags":[1,)", "line 4 has a tags that are no list of texts"},
    {"request", R"("request":"n5+f)", R"("request":"n5+)", "has a request that is no digest"},
    {"tags", R"("tags":["x",)", R"("tags":["\"y\"",)", "has metadata.tags[1] that is the same"},
    {"media_type", R"("media_type":"x/y")", R"("media_type":"application/json")", "has a media_type that its state cannot have"},
    {"media_type_with_controls", R"("media_type":"x/y")", R"("media_type":"x/y\r\nX-A: 1")", "has a media_type that its state cannot have"},
    {"media_type_without_name", R"("media_type":"x/y")", R"("media_type":"x")", "has a media_type that its state cannot have"},
    {"media_type_with_parameters", R"("media_type":"x/y")", R"("media_type":"x/y;z=1")", "has a media_type that its state cannot have"},
    {"media_type_of_json_in_capitals", R"("media_type":"x/y")", R"("media_type":"Application/JSON")",
        "has a media_type that its state cannot have"},
    {"count", R"("checkpoints":4)", R"("checkpoints":5)", "another number of checkpoints"},
    {"sum", R"("sha256":")", R"("sha256":"0)", "another SHA-256"},
    {"changed_pin", R"("pinned":true,)", "", "another SHA-256"},
    {"behind_the_end", R"({"end":)", "{}\n{\"end\":", "must have a \"state\", a \"checkpoint\" or the \"end\""},
};
INSTANTIATE_TEST_SUITE_P(
    Cases, SpoiltThreadFile, ::testing::ValuesIn(spoilt_cases), [](const auto& info) { return std::string(info.param.name); });

TEST(ThreadFile, ACutIsFoundWhereverItIs)
{
    const auto text = file_of(some_checkpoints());
    for (std::size_t length = 0; length + 1 < text.size(); length += 3)    // the last line feed alone may be missing
        EXPECT_TRUE(read(text.substr(0, length)).outcome.has_error()) << length;
    EXPECT_TRUE(read(text.substr(0, text.size() - 1)).outcome.has_value());
    EXPECT_TRUE(read(text + "\n").outcome.has_error());
}

/// A state holds its bytes until its first checkpoint comes.
TEST(ThreadFile, StatesThatNoCheckpointHasAreRefused)
{
    const auto text = file_of(some_checkpoints());
    const auto state = text.find("{\"state\":");
    const auto first = text.find("{\"checkpoint\":");
    auto twice = text;
    twice.insert(
        state, "{\"state\":{\"digest\":\"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b\",\"encoding\":\"json\"}}\n1\n");
    const auto behind = read(twice);
    ASSERT_TRUE(behind.outcome.has_error());
    EXPECT_NE(behind.outcome.error().detail.find("line 4 is a state behind one that no checkpoint has"), std::string::npos)
        << behind.outcome.error().detail;
    const auto last = read(text.substr(0, first) + text.substr(text.find("{\"end\":")));
    ASSERT_TRUE(last.outcome.has_error());
    EXPECT_NE(last.outcome.error().detail.find("line 4 follows a state that no checkpoint has"), std::string::npos)
        << last.outcome.error().detail;
}

TEST(ThreadFile, LinesAreBounded)
{
    const auto found = read(std::string(300'000, 'x'));
    ASSERT_TRUE(found.outcome.has_error());
    EXPECT_EQ(found.outcome.error().code, errc::too_large);
    EXPECT_TRUE(read(file_of({checkpoint(1, "\"0123456789\""), checkpoint(2, "1")}), 1'000'000, {.max_bytes = 11}).outcome.has_error());
}

TEST(ThreadFile, AThreadWithoutCheckpointsHasAHead)
{
    thread_file_writer writer({}, &make_sha256_hasher);
    EXPECT_TRUE(read(writer.end()).outcome.has_value());
}

TEST(JsonMembers, AreFoundByName)
{
    const json_members found(R"({"a":"x\"","b":{"a":1},"c":-5,"d":true,"e":["p","q"],"f":1.5})");
    EXPECT_EQ(found.text("a"), "x\"");
    EXPECT_EQ(found.raw("b"), R"({"a":1})");
    EXPECT_EQ(found.integer("c"), -5);
    EXPECT_TRUE(found.flag("d"));
    EXPECT_EQ(found.texts("e"), (std::vector<std::string>{"p", "q"}));
    EXPECT_EQ(found.integer("f"), std::nullopt);
    EXPECT_EQ(found.text("c"), std::nullopt);
    EXPECT_EQ(found.raw("z"), std::nullopt);
    EXPECT_FALSE(json_members("[]").is_object());
    EXPECT_EQ(json_members("{}").raw("a"), std::nullopt);
    EXPECT_EQ(json_members("5").raw("a"), std::nullopt);
    const std::string_view names[] = {"a", "c"};
    EXPECT_EQ(json_members(R"({"a":1,"b":2,"c":3})").first_but(names), "b");
    EXPECT_EQ(json_members(R"({"a":1,"c":3})").first_but(names), std::nullopt);
    EXPECT_EQ(json_members("{}").first_but(names), std::nullopt);
    EXPECT_EQ(json_members("[1]").first_but(names), std::nullopt);
}

}    // namespace

}    // namespace caisson
