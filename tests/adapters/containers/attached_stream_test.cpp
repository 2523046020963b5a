#include "adapters/engine/attached_stream.hpp"

#include "adapters/engine/containers.hpp"
#include "tests/adapters/containers/fixture.hpp"

#include <boost/system/system_error.hpp>
#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

using ::testing::HasSubstr;

std::string frame(int stream, std::string_view payload)
{
    std::string out(8, '\0');
    out[0] = static_cast<char>(stream);
    for (std::size_t i = 0; i < 4; ++i)
        out[7 - i] = static_cast<char>(payload.size() >> (8 * i));
    return out.append(payload);
}

class AttachedStream : public imposter_test {
protected:
    caisson::testing::script& plan() { return there.on("POST", "/containers/some%20id/attach"); }
    std::unique_ptr<protocol::byte_stream> attach()
    {
        auto got = run(all.attach("some id", soon()));
        if (got.has_error())
            throw std::runtime_error(got.error().detail);
        return std::move(*got);
    }
    /// What comes until the end, read with room for `most` bytes.
    std::string rest(protocol::byte_stream& from, std::size_t most = 100)
    {
        std::string out;
        std::string room(most, '\0');
        while (const auto count = run(from.read_some(room)))
            out.append(room, 0, count);
        return out;
    }
    /// What the reading throws.
    std::string failure(protocol::byte_stream& from)
    {
        try {
            return "nothing, but reads " + rest(from);
        } catch (const boost::system::system_error& failed) {
            return failed.what();
        }
    }
    containers all{on};
};

TEST_F(AttachedStream, AsksForStdinAndStdout)
{
    plan().hijack();
    EXPECT_FALSE(attach()->carries_descriptors());
    const auto seen = there.requests().back();
    EXPECT_EQ(seen.query_value("stream"), "1");
    EXPECT_EQ(seen.query_value("stdin"), "1");
    EXPECT_EQ(seen.query_value("stdout"), "1");
    EXPECT_EQ(seen.query_value("stderr"), "");
    EXPECT_EQ(seen.query_value("logs"), "") << "what was said before is not repeated";
}

TEST_F(AttachedStream, ReadsStdoutAlone)
{
    plan().hijack().raw(frame(1, "one ") + frame(2, "dropped") + frame(1, "") + frame(0, "dropped") + frame(1, "two")).cut();
    EXPECT_EQ(rest(*attach()), "one two");
}

TEST_F(AttachedStream, ReadsIntoLittleRoom)
{
    std::string bytes;
    for (int i = 0; i < 70'000; ++i)
        bytes += static_cast<char>(i * 7);
    plan().hijack().raw(frame(1, bytes) + frame(2, bytes) + frame(1, bytes)).cut();
    EXPECT_TRUE(rest(*attach(), 1000) == bytes + bytes);
}

TEST_F(AttachedStream, WaitsForStdoutWhileOthersTalk)
{
    auto& answer = plan().hijack().raw(frame(2, "noise"));
    const auto stream = attach();
    std::array<char, 10> room{};
    const auto reading = begin(stream->read_some(room));
    settle();
    EXPECT_FALSE(reading->done());
    answer.raw(frame(1, "x").substr(0, 5));
    settle();
    EXPECT_FALSE(reading->done());
    answer.raw(frame(1, "x").substr(5));
    EXPECT_EQ(end(*reading), 1u);
}

TEST_F(AttachedStream, WritesStdinAsItIs)
{
    auto& answer = plan().hijack();
    const auto stream = attach();
    const std::string bytes("\x10\x11\0\xff\x1b", 5);
    const std::array<std::string_view, 3> parts{"a", bytes, "z"};
    run(stream->write(parts, {}));
    run(there.until_received(answer, "z"));
    EXPECT_EQ(answer.received(), "a" + bytes + "z");
}

TEST_F(AttachedStream, CarriesNoDescriptors)
{
    plan().hijack();
    const auto stream = attach();
    const std::array<std::string_view, 1> parts{"a"};
    const std::array<int, 1> descriptors{0};
    EXPECT_THROW(run(stream->write(parts, descriptors)), boost::system::system_error);
}

TEST_F(AttachedStream, ClosedItEndsItsReader)
{
    auto& answer = plan().hijack();
    const auto stream = attach();
    std::array<char, 10> room{};
    const auto reading = begin(stream->read_some(room));
    settle();
    stream->close();
    settle();
    EXPECT_TRUE(reading->failure);
    EXPECT_TRUE(answer.input_ended());
}

struct broken_case {
    std::string_view name;
    std::string bytes;
    std::string_view says;
};
class BrokenAttachment : public AttachedStream, public ::testing::WithParamInterface<broken_case> { };
TEST_P(BrokenAttachment, Throws)
{
    plan().hijack().raw(frame(1, "good") + GetParam().bytes).cut();
    EXPECT_THAT(failure(*attach()), HasSubstr(GetParam().says));
}
INSTANTIATE_TEST_SUITE_P(All, BrokenAttachment,
    ::testing::Values(broken_case{"cut_head", frame(1, "x").substr(0, 4), "ended within a frame"},
        broken_case{"cut_payload", frame(1, "xyz").substr(0, 9), "ended within a frame"},
        broken_case{"cut_before_payload", frame(2, "xyz").substr(0, 8), "ended within a frame"},
        broken_case{"no_frame", "HTTP/1.1 400 Bad Request\r\n", "not understood"},
        broken_case{"engine_failed", frame(3, "it is full"), "the Docker engine says: it is full"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(AttachedStream, ARefusalIsAnError)
{
    plan().fails(404, "No such container: some id");
    const auto got = run(all.attach("some id", soon()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::not_found);
}

}    // namespace
}    // namespace caisson::docker
