#include "core/exec/collect/collector.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

namespace caisson {
namespace {

using protocol::stream_number;

/// Files of one byte with long names.
std::string many_files(int count)
{
    std::string out(protocol::collect_magic);
    for (int i = 0; i < count; ++i) {
        protocol::append_file(out, {false, 1, 0644, 0, "out/" + std::to_string(100 + i) + std::string(3'000, 'p')});
        protocol::append_data_head(out, 1);
        out += 'x';
        protocol::append_end(out);
    }
    protocol::append_done(out, {0, 1, ""});
    return out;
}

/// Counts the turns of the thread that others have while it lives.
class turn_counter {
public:
    explicit turn_counter(asio::io_context& context) : context_(context) { again(); }
    int count() const { return *count_; }

private:
    void again()
    {
        asio::post(context_, [this, alive = std::weak_ptr(count_)] {
            if (const auto count = alive.lock()) {
                ++*count;
                again();
            }
        });
    }
    asio::io_context& context_;
    std::shared_ptr<int> count_ = std::make_shared<int>(0);
};

TEST(CollectorTurns, OthersHaveTheirsWhilePatternsTakeLong)
{
    constexpr int count = 60;    // small files share a wait for the store: sixteen of them
    asio::io_context context;
    testing::fake_content_store contents;
    collector::job job{*tenant_id::parse("ten_00000000000000000000000001"), *execution_id::parse("exe_00000000000000000000000001"), {}};
    job.wanted.patterns.assign(99, "**/" + std::string(77, '?'));
    job.wanted.patterns.emplace_back("out/**");
    collector made(context.get_executor(), contents, std::move(job), [](stream_number, std::uint64_t) { });
    auto stream = many_files(count);
    const auto size = stream.size();
    made.on_output(stream_number::stdout_stream, 0, shared_bytes(std::move(stream)));
    made.on_eof(stream_number::stdout_stream, size);
    made.on_exited({.wait_status = 0});
    const turn_counter others(context);
    testing::run_task(context, made.run());
    const auto got = made.take();
    EXPECT_EQ(got.summary.error, "");
    EXPECT_EQ(got.artifacts.size(), static_cast<std::size_t>(count));
    EXPECT_GE(others.count(), count / 4);
}

}    // namespace
}    // namespace caisson
