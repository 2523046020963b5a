#include "app/agent/collect_listing.hpp"
#include "app/agent/collect_order.hpp"
#include "app/agent/collect_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <stdexcept>
#include <thread>

namespace caisson::agent {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const collect_listing& of)
{
    std::vector<std::string> out;
    for (std::size_t i = 0; i < of.size(); ++i)
        out.emplace_back(of[i]);
    return out;
}

TEST(CollectListing, OrdersAsThePathsBelowDo)
{
    collect_listing names(1'000);
    names.add("a", entry_kind::directory);
    names.add("b", entry_kind::regular);
    names.add("a.txt", entry_kind::regular);
    names.add("a-", entry_kind::regular);
    names.add("a0", entry_kind::regular);
    names.sort();
    EXPECT_THAT(names_of(names), ElementsAre("a-", "a.txt", "a/", "a0", "b"));
    EXPECT_EQ(names.dropped(), 0u);
}

TEST(CollectListing, KeepsTheFirstNamesWhereNotAllFit)
{
    std::vector<std::string> all;
    for (int i = 10'000; i < 20'000; ++i)
        all.push_back(std::to_string(i));
    std::shuffle(all.begin(), all.end(), std::mt19937(7));
    constexpr std::size_t most = 10'000;
    collect_listing names(most);
    for (const auto& each : all) {
        names.add(each, entry_kind::regular);
        ASSERT_LE(names.bytes(), most);
    }
    names.sort();
    EXPECT_EQ(names.size() + names.dropped(), all.size());
    ASSERT_GT(names.size(), 100u);
    EXPECT_EQ(names[0], "10000");
    EXPECT_TRUE(std::ranges::is_sorted(names_of(names)));
}

TEST(CollectListing, SaysOfEachNameWhatItIs)
{
    collect_listing names(300);
    for (int i = 99; i >= 0; --i)
        names.add(std::to_string(100 + i), i % 2 == 0 ? entry_kind::regular : entry_kind::other);
    names.add("1", entry_kind::directory);
    names.sort();
    ASSERT_GT(names.size(), 3u);
    EXPECT_GT(names.dropped(), 0u);
    EXPECT_EQ(names[0], "1/");
    EXPECT_EQ(names.kind_of(0), entry_kind::directory);
    EXPECT_EQ(names[1], "100");
    EXPECT_EQ(names.kind_of(1), entry_kind::regular);
    EXPECT_EQ(names[2], "101");
    EXPECT_EQ(names.kind_of(2), entry_kind::other);
}

TEST(CollectListing, OneNameAlwaysFits)
{
    collect_listing names(0);
    names.add("b", entry_kind::regular);
    names.add("a", entry_kind::regular);
    names.add("c", entry_kind::regular);
    names.sort();
    EXPECT_GE(names.size(), 1u);
    EXPECT_EQ(names[0], "a");
}

struct printable_case {
    std::string_view name;
    std::string bytes;
    std::string_view shown;
};
void PrintTo(const printable_case& c, std::ostream* out) { *out << c.name; }

class Printable : public ::testing::TestWithParam<printable_case> { };

TEST_P(Printable, IsTextWhateverTheBytes) { EXPECT_EQ(printable(GetParam().bytes), GetParam().shown); }

INSTANTIATE_TEST_SUITE_P(Cases, Printable,
    ::testing::Values(printable_case{"plain", "a b.txt", "a b.txt"}, printable_case{"characters", "ä€😀", "ä€😀"},
        printable_case{"control", "a\nb\x7f", "a\\x0ab\\x7f"}, printable_case{"broken", "a\xff\xc3", "a\\xff\\xc3"},
        printable_case{"cut_character", "\xe2\x82", "\\xe2\\x82"}, printable_case{"nothing", "", ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CollectOrder, IsReadFromArguments)
{
    std::vector<std::string> words{
        "/workspace", "--max-files", "5", "--output", "out/o.json", "--max-depth", "3", "--", "--max-files", "a/**"};
    std::vector<char*> argv;
    for (auto& each : words)
        argv.push_back(each.data());
    collect_order order;
    ASSERT_TRUE(parse(static_cast<int>(argv.size()), argv.data(), order));
    EXPECT_EQ(order.root, "/workspace");
    EXPECT_EQ(order.max_files, 5u);
    EXPECT_EQ(order.max_depth, 3u);
    EXPECT_EQ(order.output, "out/o.json");
    EXPECT_THAT(order.patterns, ElementsAre("--max-files", "a/**"));
}

TEST(CollectWriter, AReaderThatIsGoneEndsIt)
{
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    collect_writer out(ends[1]);
    out.skipped("a", "b");
    EXPECT_TRUE(out.ok());
    out.done(1, "");
    EXPECT_FALSE(out.ok());
    ::signal(SIGPIPE, before);
    ::close(ends[1]);
}

TEST(CollectWriter, KeepsAStreamThatIsAskedForInMemory)
{
    const int file = ::memfd_create("source", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(file, 40'000), 0);
    collect_writer out(collect_writer::in_memory{50'000});
    out.file({false, 40'000, 0644, 0, "a"}, file);
    out.done(1, "");
    EXPECT_TRUE(out.ok());
    const auto kept = out.take();
    EXPECT_TRUE(kept.starts_with(protocol::collect_magic));
    EXPECT_GT(kept.size(), 40'000u);
    ::close(file);
}

TEST(CollectWriter, KeepsNoMoreInMemoryThanItMay)
{
    const int file = ::memfd_create("source", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(file, 60'000), 0);
    collect_writer of_one(collect_writer::in_memory{50'000});
    of_one.file({false, 60'000, 0644, 0, "a"}, file);
    EXPECT_FALSE(of_one.ok());
    EXPECT_LT(of_one.take().size(), 1'000u) << "nothing was read";
    collect_writer of_many(collect_writer::in_memory{50'000});
    for (int i = 0; i < 3; ++i) {
        ::lseek(file, 0, SEEK_SET);
        of_many.file({false, 20'000, 0644, 0, "a"}, file);
    }
    EXPECT_FALSE(of_many.ok());
    ::close(file);
}

struct small_case {
    std::string_view name;
    void (*tell)(collect_writer&, const std::string& path);
};
void PrintTo(const small_case& c, std::ostream* out) { *out << c.name; }

class CollectWriterOfSmallThings : public ::testing::TestWithParam<small_case> { };

TEST_P(CollectWriterOfSmallThings, KeepsLittleInMemory)
{
    const int file = ::memfd_create("stream", MFD_CLOEXEC);
    ASSERT_GE(file, 0);
    collect_writer out(file);
    std::size_t told = 0;
    for (int i = 0; i < 100; ++i) {
        GetParam().tell(out, std::string(4'000, 'p'));
        told += 4'000;
        EXPECT_LE(static_cast<off_t>(told) - ::lseek(file, 0, SEEK_END), 70'000);
    }
    ::close(file);
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectWriterOfSmallThings,
    ::testing::Values(
        small_case{"empty_files", [](collect_writer& out, const std::string& path) { out.file({false, 0, 0644, 0, path}, -1); }},
        small_case{"unreadable_files", [](collect_writer& out, const std::string& path) { out.file({false, 1, 0644, 0, path}, -1); }},
        small_case{"what_is_skipped", [](collect_writer& out, const std::string& path) { out.skipped(path, "a FIFO"); }}),
    [](const auto& info) { return std::string(info.param.name); });

/// What a reader of the stream hears of one file.
struct heard_file {
    std::string bytes;
    std::string cut;    // why, where it is not whole
    bool whole = false;
};

heard_file read_stream(int from)
{
    protocol::collect_decoder decoder;
    std::string part(100'000, '\0');
    while (const auto got = ::read(from, part.data(), part.size())) {
        if (got < 0)
            break;
        decoder.add(shared_bytes(part.substr(0, static_cast<std::size_t>(got))));
    }
    heard_file heard;
    using item = protocol::collect_decoder::item;
    for (auto next = decoder.next(); next != item::need_more && next != item::done; next = decoder.next()) {
        if (next == item::broken)
            throw std::runtime_error("the stream is broken");
        if (next == item::data)
            heard.bytes += decoder.data().view();
        if (next == item::cut)
            heard.cut = decoder.reason();
        heard.whole = heard.whole || next == item::end;
    }
    return heard;
}

std::string some_bytes(std::size_t size)
{
    std::string bytes(size, '\0');
    std::mt19937 numbers(3);
    for (auto& each : bytes)
        each = static_cast<char>(numbers());
    return bytes;
}

int file_of(const std::string& bytes)
{
    const int file = ::memfd_create("source", MFD_CLOEXEC);
    EXPECT_EQ(::pwrite(file, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return file;
}

enum class target { pipe, file };    // of which only one takes pages without a copy

struct sent_case {
    std::string_view name;
    std::size_t size;
    target into;
};
void PrintTo(const sent_case& c, std::ostream* out) { *out << c.name; }

class CollectWriterOfFiles : public ::testing::TestWithParam<sent_case> {
protected:
    /// Sends a file that is told to have `told` bytes.
    heard_file send(const std::string& bytes, std::size_t told)
    {
        const int source = file_of(bytes);
        int ends[2] = {::memfd_create("stream", MFD_CLOEXEC), -1};
        if (GetParam().into == target::pipe)
            EXPECT_EQ(::pipe(ends), 0);
        else
            ends[1] = ::dup(ends[0]);
        std::thread sending([&] {
            collect_writer out(ends[1]);
            out.file({false, told, 0644, 0, "a"}, source);
            out.done(1, "");
            EXPECT_TRUE(out.ok());
            ::close(ends[1]);
        });
        if (GetParam().into == target::file) {
            sending.join();
            ::lseek(ends[0], 0, SEEK_SET);
        }
        const auto heard = read_stream(ends[0]);
        if (sending.joinable())
            sending.join();
        ::close(ends[0]);
        ::close(source);
        return heard;
    }
};

TEST_P(CollectWriterOfFiles, SendsEveryByte)
{
    const auto bytes = some_bytes(GetParam().size);
    const auto heard = send(bytes, bytes.size());
    EXPECT_TRUE(heard.whole);
    EXPECT_EQ(heard.bytes == bytes, true);
}

TEST_P(CollectWriterOfFiles, WhatBecameShorterIsCut)
{
    const auto bytes = some_bytes(GetParam().size);
    const auto heard = send(bytes, bytes.size() + 200'000);
    EXPECT_FALSE(heard.whole);
    EXPECT_EQ(heard.cut, "it became shorter while it was read");
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectWriterOfFiles,
    ::testing::Values(sent_case{"small", 4'096, target::pipe}, sent_case{"one_record", 128 * 1024, target::pipe},
        sent_case{"many_records", 3'000'001, target::pipe}, sent_case{"small_copied", 4'096, target::file},
        sent_case{"many_records_copied", 3'000'001, target::file}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::agent
