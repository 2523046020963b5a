#include "adapters/crypto/digest.hpp"
#include "tests/storage/content_bytes.hpp"
#include "tests/storage/store_contract.hpp"

#include <limits>

namespace caisson::testing {

namespace {

constexpr auto always = std::numeric_limits<std::int64_t>::max();

class ContentContract : public StoreContract {
protected:
    content_info store(std::string bytes, std::size_t piece = 100'000)
    {
        auto info = run(write_all(contents().create(tenant_), std::move(bytes), piece));
        EXPECT_TRUE(info.has_value());
        return *info;
    }
    std::string read(const content_info& what, std::size_t piece = 1 << 20) { return *run(read_all(&contents(), tenant_, what.id, piece)); }
    std::vector<owned_content> all()
    {
        std::vector<owned_content> found;
        for (content_id last;; last = found.back().content) {
            const auto page = *run(contents().list({last, always, 2}));
            if (page.empty())
                return found;
            found.insert(found.end(), page.begin(), page.end());
        }
    }

    const tenant_id tenant_ = numbered<tenant_id>(1);
    const tenant_id other_ = numbered<tenant_id>(2);
};

struct size_case {
    std::string name;
    std::size_t size;
};

TEST_P(ContentContract, GivesBackEveryByteWithItsDigest)
{
    const size_case sizes[] = {{"nothing", 0}, {"one_byte", 1}, {"one_short_of_a_chunk", sqlite::chunk_bytes - 1},
        {"a_chunk", sqlite::chunk_bytes}, {"one_more_than_a_chunk", sqlite::chunk_bytes + 1},
        {"many_chunks", 5 * sqlite::chunk_bytes + 17}};
    for (const auto& each : sizes) {
        const auto bytes = noise(each.size, 7);
        for (const std::size_t piece : {std::size_t{60'001}, std::size_t{4} << 20}) {
            const auto info = store(bytes, piece);
            EXPECT_EQ(info.size_bytes, static_cast<std::int64_t>(each.size)) << each.name;
            EXPECT_EQ(info.sha256, sha256_hex(bytes)) << each.name;
            EXPECT_EQ(read(info) == bytes, true) << each.name;
            const auto found = *run(contents().find(tenant_, info.id));
            EXPECT_EQ(found.sha256, info.sha256) << each.name;
            EXPECT_EQ(found.size_bytes, info.size_bytes) << each.name;
        }
    }
}

struct range_case {
    std::string name;
    std::int64_t offset;
    std::size_t length;
};

TEST_P(ContentContract, ReadsAcrossTheBordersOfChunks)
{
    constexpr auto chunk = static_cast<std::int64_t>(sqlite::chunk_bytes);
    const auto bytes = noise(3 * sqlite::chunk_bytes + 10, 3);
    const auto info = store(bytes);
    const range_case ranges[] = {{"first_byte", 0, 1}, {"up_to_a_border", chunk - 5, 5}, {"over_a_border", chunk - 5, 10},
        {"from_a_border", chunk, 7}, {"a_whole_chunk", chunk, sqlite::chunk_bytes},
        {"over_two_borders", chunk - 1, sqlite::chunk_bytes + 2}, {"the_short_rest", 3 * chunk + 3, 100},
        {"the_last_byte", 3 * chunk + 9, 1}, {"behind_the_end", 3 * chunk + 10, 5}, {"far_behind_the_end", 100 * chunk, 5}};
    for (const auto& each : ranges) {
        const auto want = bytes.substr(std::min(bytes.size(), static_cast<std::size_t>(each.offset)), each.length);
        EXPECT_EQ(run(contents().read(tenant_, info.id, each.offset, each.length))->view() == want, true) << each.name;
    }
}

TEST_P(ContentContract, EqualChunksOfATenantAreStoredOnce)
{
    store(chunks_of({1, 2, 1, 1}));
    EXPECT_EQ(*run(contents().stored_bytes(tenant_)), 2 * static_cast<std::int64_t>(sqlite::chunk_bytes)) << "within one content";
    const auto same = store(chunks_of({2, 1}) + "end");
    EXPECT_EQ(*run(contents().stored_bytes(tenant_)), 2 * static_cast<std::int64_t>(sqlite::chunk_bytes) + 3) << "and among several";
    EXPECT_EQ(read(same) == chunks_of({2, 1}) + "end", true);
}

TEST_P(ContentContract, EqualChunksOfDifferentTenantsAreApart)
{
    const auto mine = store("the same");
    const auto theirs = *run(write_all(contents().create(other_), "the same"));
    EXPECT_NE(mine.id, theirs.id);
    EXPECT_EQ(mine.sha256, theirs.sha256);
    EXPECT_EQ(*run(contents().stored_bytes(other_)), 8);
    ASSERT_TRUE(run(contents().erase(tenant_, {mine.id})).has_value());
    EXPECT_EQ(*run(read_all(&contents(), other_, theirs.id)), "the same");
}

TEST_P(ContentContract, AnotherTenantsContentIsNotFound)
{
    const auto mine = store("secret");
    EXPECT_EQ(code_of(run(contents().find(other_, mine.id))), errc::not_found);
    EXPECT_EQ(code_of(run(contents().read(other_, mine.id, 0, 10))), errc::not_found);
    ASSERT_TRUE(run(contents().erase(other_, {mine.id})).has_value());
    EXPECT_EQ(read(mine), "secret");
}

TEST_P(ContentContract, ErasingKeepsChunksThatOthersUse)
{
    const auto first = store(chunks_of({1, 2}));
    const auto second = store(chunks_of({2, 3}));
    ASSERT_TRUE(run(contents().erase(tenant_, {first.id})).has_value());
    ASSERT_TRUE(run(contents().erase(tenant_, {first.id})).has_value()) << "a repeat";
    EXPECT_EQ(code_of(run(contents().find(tenant_, first.id))), errc::not_found);
    EXPECT_EQ(code_of(run(contents().read(tenant_, first.id, 0, 1))), errc::not_found);
    EXPECT_EQ(read(second) == chunks_of({2, 3}), true);
    EXPECT_EQ(all(), (std::vector<owned_content>{{tenant_, second.id}}));
}

TEST_P(ContentContract, AnUnfinishedWriterLeavesNothing)
{
    {
        auto writer = contents().create(tenant_);
        ASSERT_TRUE(run(writer->write(shared_bytes(chunks_of({1, 2, 3, 4, 5})))).has_value());
    }
    EXPECT_EQ(all(), std::vector<owned_content>());
}

TEST_P(ContentContract, WritersSideBySideAndThoseGivenUpDoNotMixTheirDigests)
{
    const auto first = noise(700'000, 1), second = noise(5'000, 2), third = noise(900'000, 3);
    auto one = contents().create(tenant_);
    auto given_up = contents().create(tenant_);
    ASSERT_TRUE(run(one->write(shared_bytes(first.substr(0, 300'000)))).has_value());
    ASSERT_TRUE(run(given_up->write(shared_bytes(third))).has_value());
    EXPECT_EQ(store(second).sha256, sha256_hex(second));
    given_up.reset();
    EXPECT_EQ(store(third).sha256, sha256_hex(third));
    ASSERT_TRUE(run(one->write(shared_bytes(first.substr(300'000)))).has_value());
    EXPECT_EQ(run(one->finish())->sha256, sha256_hex(first));
}

TEST_P(ContentContract, ABatchTakesMoreSmallContentsThanOneTransaction)
{
    auto batch = contents().create_batch(tenant_);
    std::vector<content_info> made;
    for (std::uint32_t i = 0; i < 700; ++i)
        made.push_back(*run(write_all(batch->create(), noise(10, i))));
    ASSERT_TRUE(run(batch->commit()).has_value());
    for (std::uint32_t i = 0; i < made.size(); i += 50)
        EXPECT_EQ(read(made[i]), noise(10, i)) << i;
}

TEST_P(ContentContract, ABatchAddsSmallContentsInOneStep)
{
    auto batch = contents().create_batch(tenant_);
    std::vector<std::string> wanted{"", noise(content_batch::most_at_once, 1), "twice", "twice"};
    for (std::uint32_t i = 0; i < 700; ++i)
        wanted.push_back(noise(10, i));
    std::vector<content_info> made;
    for (const auto& each : wanted) {
        made.push_back(batch->add(shared_bytes(each)));
        if (made.size() % 100 == 0)
            ASSERT_TRUE(run(batch->make_room()).has_value());
        if (made.size() == 300)
            ASSERT_TRUE(run(write_all(batch->create(), chunks_of({1, 2, 3}))).has_value());
    }
    ASSERT_TRUE(run(batch->commit()).has_value());
    for (std::size_t i = 0; i < made.size(); ++i) {
        EXPECT_EQ(made[i].sha256, sha256_hex(wanted[i])) << i;
        EXPECT_EQ(made[i].size_bytes, static_cast<std::int64_t>(wanted[i].size())) << i;
        EXPECT_EQ(run(contents().find(tenant_, made[i].id))->sha256, made[i].sha256) << i;
    }
    for (std::size_t i = 0; i < made.size(); i += 3)
        EXPECT_EQ(read(made[i]) == wanted[i], true) << i;
    const auto dropped = batch->add(shared_bytes(std::string("dropped")));
    batch.reset();
    EXPECT_EQ(code_of(run(contents().find(tenant_, dropped.id))), errc::not_found);
}

TEST_P(ContentContract, ABatchBecomesDurableAsAWhole)
{
    auto batch = contents().create_batch(tenant_);
    std::vector<content_info> made;
    for (int i = 0; i < 40; ++i)
        made.push_back(*run(write_all(batch->create(), noise(1000 + i, i))));
    const auto large = *run(write_all(batch->create(), chunks_of({1, 2, 3, 4, 5, 6})));
    ASSERT_TRUE(run(batch->commit()).has_value());
    EXPECT_EQ(all(), std::vector<owned_content>()) << "its contents are its own while it lives";
    batch.reset();
    EXPECT_EQ(all().size(), 41u);
    for (int i = 0; i < 40; ++i)
        EXPECT_EQ(read(made[i]) == noise(1000 + i, i), true) << i;
    EXPECT_EQ(read(large) == chunks_of({1, 2, 3, 4, 5, 6}), true);
}

TEST_P(ContentContract, ABatchThatIsGivenUpLeavesWhatItCommitted)
{
    auto batch = contents().create_batch(tenant_);
    const auto kept = *run(write_all(batch->create(), "kept"));
    {
        auto given_up = batch->create();
        ASSERT_TRUE(run(given_up->write(shared_bytes(chunks_of({1, 2, 3, 4, 5})))).has_value());
    }
    ASSERT_TRUE(run(batch->commit()).has_value());
    ASSERT_TRUE(run(write_all(batch->create(), "dropped")).has_value());
    batch.reset();
    while (all().size() > 1) { }    // what goes, goes when nothing else is to be done
    EXPECT_EQ(all(), (std::vector<owned_content>{{tenant_, kept.id}}));
}

TEST_P(ContentContract, ListsInTheOrderOfIdsWithoutThoseThatAreHeld)
{
    auto batch = contents().create_batch(other_);
    for (int i = 0; i < 5; ++i)    // more than a page of them, before all others
        ASSERT_TRUE(run(write_all(batch->create(), "held " + std::to_string(i))).has_value());
    ASSERT_TRUE(run(batch->commit()).has_value());
    std::vector<owned_content> want;
    for (int i = 0; i < 5; ++i)
        want.push_back({tenant_, store("content " + std::to_string(i)).id});
    auto writer = contents().create(other_);
    ASSERT_TRUE(run(writer->write(shared_bytes(std::string("x")))).has_value());
    ASSERT_TRUE(run(writer->finish()).has_value());
    EXPECT_EQ(all(), want) << "their writers still live";
    writer.reset();
    EXPECT_EQ(all().size(), 6u);
    batch.reset();
    EXPECT_EQ(all().size(), 11u);
    EXPECT_TRUE(run(contents().list({{}, 1, 100}))->empty()) << "all were finished later";
}

INSTANTIATE_TEST_SUITE_P(Stores, ContentContract, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
