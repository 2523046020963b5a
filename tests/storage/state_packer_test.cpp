#include "tests/storage/thread_fixture.hpp"

#include "storage/content/state_cache.hpp"
#include "storage/sqlite/errors.hpp"

#include <random>

namespace caisson::testing {

namespace {

/// A state in JSON of about `bytes`, of words that differ by `seed`.
std::string state_text(std::size_t bytes, unsigned seed)
{
    std::mt19937 random(seed);
    std::string text = "{\"items\":[";
    while (text.size() < bytes)
        text.append("{\"id\":").append(std::to_string(random())).append(",\"text\":\"").append(std::to_string(random())).append("\"},");
    text.append("0],\"step\":");
    return text;
}

packed_state packed(std::string_view text, const packing_base* base) { return zstd_state_packer().pack({}, digest_of(text), text, base); }

packing_base base_of(const std::string& text)
{
    return {1, digest_of(text), shared_bytes(text), static_cast<std::int64_t>(packed(text, nullptr).bytes.size())};
}

struct size_case {
    const char* name;
    std::size_t bytes;
};
class StatePacker : public ::testing::TestWithParam<size_case> { };

TEST_P(StatePacker, GivesBackWhatWasPacked)
{
    const auto text = state_text(GetParam().bytes, 1) + "1}";
    const auto other = state_text(GetParam().bytes, 1) + "2}";
    const auto base = base_of(text);
    const auto whole = packed(text, nullptr);
    EXPECT_FALSE(whole.base);
    EXPECT_EQ(sqlite::unpack_state(whole.bytes.view(), text.size(), {}), text);
    const auto part = packed(other, &base);
    EXPECT_EQ(sqlite::unpack_state(part.bytes.view(), other.size(), part.base ? base.text.view() : std::string_view()), other);
}

constexpr size_case size_cases[] = {
    {"one_byte", 0}, {"small", 1'000}, {"below_the_least", 16'000}, {"a_bit_more", 20'000}, {"large", 1 << 20}, {"very_large", 9 << 20}};
INSTANTIATE_TEST_SUITE_P(
    Sizes, StatePacker, ::testing::ValuesIn(size_cases), [](const auto& info) { return std::string(info.param.name); });

TEST(StatePacking, AChangedKeyCostsLittleMoreThanTheKey)
{
    const auto base = base_of(state_text(1 << 20, 1) + "1}");
    EXPECT_GT(base.packed_bytes, 100'000);
    const auto part = packed(state_text(1 << 20, 1) + "\"a value of forty bytes, more or less.....\"}", &base);
    EXPECT_EQ(part.base, 1);
    EXPECT_LT(part.bytes.size(), 300u);
}

TEST(StatePacking, WhatIsUnlikeItsBaseGoesWithoutIt)
{
    const auto base = base_of(state_text(1 << 20, 1) + "1}");
    const auto other = state_text(1 << 20, 2) + "1}";
    const auto whole = packed(other, &base);
    EXPECT_FALSE(whole.base);
    EXPECT_EQ(sqlite::unpack_state(whole.bytes.view(), other.size(), {}), other);
}

TEST(StatePacking, DamageIsFound)
{
    const auto text = state_text(50'000, 1) + "1}";
    auto bytes = std::string(packed(text, nullptr).bytes.view());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    EXPECT_THROW(sqlite::unpack_state(bytes, text.size(), {}), storage_error);
    EXPECT_THROW(sqlite::unpack_state("", text.size(), {}), storage_error);
    EXPECT_THROW(sqlite::unpack_state(packed(text, nullptr).bytes.view(), text.size() - 1, {}), storage_error);
    EXPECT_THROW(sqlite::unpack_state(packed(text, nullptr).bytes.view(), text.size() + 1, {}), storage_error);
    const auto base = base_of(state_text(50'000, 1) + "7}");
    EXPECT_THROW(sqlite::unpack_state(packed(text, &base).bytes.view(), text.size(), std::string(50'000, 'x')), storage_error);
}

TEST(StateCache, KeepsWhatWasUsedLast)
{
    sqlite::state_cache cache(40);
    for (const auto* digest : {"a", "b", "c", "d"})
        cache.put(digest, shared_bytes(std::string(10, *digest)));
    EXPECT_EQ(cache.find("a")->view(), "aaaaaaaaaa");
    cache.put("e", shared_bytes(std::string(10, 'e')));
    EXPECT_FALSE(cache.find("b"));
    EXPECT_TRUE(cache.find("a"));
    cache.put("f", shared_bytes(std::string(11, 'f')));
    EXPECT_FALSE(cache.find("f"));
    cache.put("a", shared_bytes("other"));
    EXPECT_EQ(cache.find("a")->view(), "aaaaaaaaaa");
}

class LargeStates : public ThreadStoreTest {
protected:
    static std::string text(int step) { return state_text(200'000, 1) + std::to_string(step) + "}"; }
};

TEST_F(LargeStates, AreSmallBesideEachOtherAndOutliveTheirBase)
{
    save("t", "a", text(1));
    const auto one = usage().bytes;
    for (int i = 2; i <= 10; ++i)
        save("t", "s" + std::to_string(i), text(i));
    EXPECT_LT(usage().bytes - one, 9 * 700);
    ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), checkpoint_id::from_trusted("a"), 1)).has_value());
    storage_.reset();
    storage_ = storage::open(dir_ / "data");
    for (int i = 2; i <= 10; ++i)
        EXPECT_EQ(state_of("t", "s" + std::to_string(i)), text(i));
    for (int i = 2; i <= 10; ++i)
        ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), checkpoint_id::from_trusted("s" + std::to_string(i)), 1)).has_value());
    EXPECT_EQ(usage().states, 0);
    EXPECT_EQ(usage().bytes, 0);
    expect_sound();
}

TEST_F(LargeStates, WithoutTheirBaseArePackedAgain)
{
    save("t", "a", text(1));
    const auto late = draft("t", "b", text(2));
    ASSERT_TRUE(late.state.base);
    ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), checkpoint_id::from_trusted("a"), 1)).has_value());
    EXPECT_EQ(try_save(late)->outcome, save_outcome::base_gone);
    EXPECT_EQ(chain("t"), "");
    save("t", "b", text(2));
    EXPECT_EQ(state_of("t", "b"), text(2));
}

TEST_F(LargeStates, OfAnotherTenantAreNoBase)
{
    save("t", "a", text(1));
    auto theirs = draft("t", "b", text(2));
    ASSERT_TRUE(theirs.state.base);
    theirs.row.tenant = other_;
    EXPECT_EQ(try_save(theirs)->outcome, save_outcome::base_gone);
    EXPECT_EQ(run(store().usage(other_))->threads, 0);
}

}    // namespace

}    // namespace caisson::testing
