// What a compiler left, as the agent's collector sends it: all of it or nothing.

#include "core/exec/compile/compile_capture.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace caisson {
namespace {

using protocol::stream_number;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct sent_file {
    std::string path;
    std::string bytes;
    std::uint32_t mode = 0644;
};

std::string begin_stream() { return std::string(protocol::collect_magic); }

void add_file(std::string& out, const sent_file& file)
{
    protocol::append_file(out, {false, file.bytes.size(), file.mode, 0, file.path});
    if (!file.bytes.empty()) {
        protocol::append_data_head(out, file.bytes.size());
        out += file.bytes;
    }
    protocol::append_end(out);
}

std::string whole(const std::vector<sent_file>& files)
{
    auto out = begin_stream();
    for (const auto& each : files)
        add_file(out, each);
    protocol::append_done(out, {});
    return out;
}

class CompileCapture : public ::testing::Test {
protected:
    void hear(const std::string& text, std::size_t step = 7)
    {
        for (std::size_t at = 0; at < text.size(); at += step)
            capture.on_output(stream_number::stdout_stream, at, shared_bytes(text.substr(at, step)));
    }

    std::uint64_t acknowledged = 0;
    int changes = 0;
    compile_capture capture{
        {.patterns = {"main", "classes/**"}}, 100, [this](stream_number, std::uint64_t end) { acknowledged = end; }, [this] { ++changes; }};
};

TEST_F(CompileCapture, GivesWhatCame)
{
    const auto text = whole({{"classes/a/B.class", "", 0600}, {"main", "ELF and more", 0755}});
    hear(text);
    EXPECT_TRUE(capture.ended());
    EXPECT_GE(changes, 1);
    EXPECT_EQ(acknowledged, text.size());
    const auto files = capture.take();
    ASSERT_TRUE(files);
    ASSERT_EQ(files->size(), 2u);
    EXPECT_EQ((*files)[0].path, "classes/a/B.class");
    EXPECT_EQ((*files)[0].mode, 0600u);
    EXPECT_EQ((*files)[1].content, "ELF and more");
    EXPECT_EQ((*files)[1].mode, 0755u);
}

/// With one file of its own, which is told apart.
struct output_case {
    std::string_view name;
    std::string_view sent;    // empty: none
    bool is_good;
};
void PrintTo(const output_case& c, std::ostream* out) { *out << c.name; }
class CompileCaptureOutput : public ::testing::TestWithParam<output_case> { };

TEST_P(CompileCaptureOutput, HasToBeThere)
{
    compile_capture capture({.patterns = {"**"}, .output = ".caisson/main"}, 100, [](stream_number, std::uint64_t) { }, [] { });
    auto text = begin_stream();
    if (!GetParam().sent.empty()) {
        protocol::append_file(text, {true, 0, 0755, 0, std::string(GetParam().sent)});
        protocol::append_end(text);
    }
    add_file(text, {"main.c", "x"});
    protocol::append_done(text, {});
    capture.on_output(stream_number::stdout_stream, 0, shared_bytes(text));
    EXPECT_EQ(capture.take().has_value(), GetParam().is_good);
}

INSTANTIATE_TEST_SUITE_P(Cases, CompileCaptureOutput,
    ::testing::Values(
        output_case{"there", ".caisson/main", true}, output_case{"missing", "", false}, output_case{"another", "main", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(CompileCapture, OfNothingIsNothing)
{
    hear(whole({}));
    const auto files = capture.take();
    ASSERT_TRUE(files);
    EXPECT_THAT(*files, IsEmpty());
}

struct refused_case {
    std::string_view name;
    std::string (*text)();
};
void PrintTo(const refused_case& c, std::ostream* out) { *out << c.name; }
class CompileCaptureRefuses : public CompileCapture, public ::testing::WithParamInterface<refused_case> { };

TEST_P(CompileCaptureRefuses, IsOfNoUse)
{
    hear(GetParam().text());
    capture.on_eof(stream_number::stdout_stream, 0);
    EXPECT_TRUE(capture.ended());
    EXPECT_FALSE(capture.take());
}

std::string skipped()
{
    auto out = begin_stream();
    protocol::append_skipped(out, "link", "a symbolic link");
    protocol::append_done(out, {.skipped = 1, .entries = 1, .problem = {}});
    return out;
}
std::string cut()
{
    auto out = begin_stream();
    protocol::append_file(out, {false, 9, 0644, 0, "main"});
    protocol::append_cut(out, "it shrank");
    protocol::append_done(out, {});
    return out;
}
std::string problem()
{
    auto out = begin_stream();
    protocol::append_done(out, {.skipped = 0, .entries = 9, .problem = "too many"});
    return out;
}
std::string as_output()
{
    auto out = begin_stream();
    protocol::append_file(out, {true, 0, 0644, 0, "main"});
    protocol::append_end(out);
    protocol::append_done(out, {});
    return out;
}

INSTANTIATE_TEST_SUITE_P(Cases, CompileCaptureRefuses,
    ::testing::Values(refused_case{"link", &skipped}, refused_case{"cut_file", &cut}, refused_case{"problem", &problem},
        refused_case{"output", &as_output}, refused_case{"too_much", [] { return whole({{"main", std::string(101, 'x')}}); }},
        refused_case{"too_much_together", [] { return whole({{"classes/a", std::string(60, 'x')}, {"main", std::string(60, 'x')}}); }},
        refused_case{"unasked", [] { return whole({{"other", "x"}}); }}, refused_case{"outside", [] { return whole({{"../main", "x"}}); }},
        refused_case{"absolute", [] { return whole({{"/main", "x"}}); }},
        refused_case{"garbage", [] { return std::string("garbage, no magic"); }},
        refused_case{"half", [] { return whole({{"main", "abc"}}).substr(0, 30); }}, refused_case{"silence", [] { return std::string(); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(CompileCapture, ThatCannotBeHeardIsOfNoUse)
{
    capture.on_start_failed(2, "execve");
    EXPECT_TRUE(capture.ended());
    EXPECT_FALSE(capture.take());
    EXPECT_EQ(changes, 1);
}

placed_file file(std::string path, std::string content, std::uint32_t mode = 0644)
{
    return {std::move(path), mode, shared_bytes(std::move(content))};
}

std::string names(const std::optional<std::vector<placed_file>>& files)
{
    if (!files)
        return "nothing";
    std::string out;
    for (const auto& each : *files)
        out += each.path + "=" + std::string(each.content.view()) + " ";
    return out;
}

struct change_case {
    std::string_view name;
    std::vector<placed_file> left;
    std::string_view want;
};
void PrintTo(const change_case& c, std::ostream* out) { *out << c.name; }
class ChangedFiles : public ::testing::TestWithParam<change_case> { };

TEST_P(ChangedFiles, AreThoseThatWereNotPutThatWay)
{
    const std::vector<placed_file> inputs{{"dir", S_IFDIR | 0755, {}}, file("a.c", "one"), file("b.c", "old"), file("b.c", "two")};
    EXPECT_EQ(names(changed_files(GetParam().left, inputs, {"*.c", "*.o"})), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, ChangedFiles,
    ::testing::Values(change_case{"none", {file("a.c", "one"), file("b.c", "two")}, ""},
        change_case{"new", {file("a.c", "one"), file("a.o", "made"), file("b.c", "two")}, "a.o=made "},
        change_case{"content", {file("a.c", "ONE"), file("b.c", "two")}, "a.c=ONE "},
        change_case{"mode", {file("a.c", "one", 0755), file("b.c", "two")}, "a.c=one "},
        change_case{"missing", {file("b.c", "two")}, "nothing"},
        change_case{"earlier_of_two", {file("a.c", "one"), file("b.c", "old")}, "b.c=old "}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ChangedFilesOf, PatternsThatDoNotMeanAnInputDoNotMissIt)
{
    EXPECT_EQ(names(changed_files({file(".caisson/main", "x")}, {file("a.c", "one"), file(".caisson/host.h", "y")}, {".caisson/main"})),
        ".caisson/main=x ");
}

}    // namespace
}    // namespace caisson
