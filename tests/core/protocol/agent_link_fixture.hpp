#pragma once

#include "tests/core/protocol/agent_process.hpp"
#include "tests/core/protocol/recording_sink.hpp"
#include "tests/support/run_task.hpp"

#include <deque>

namespace caisson::protocol {

/// What `seq 1 N` prints, cut after `size` bytes.
inline std::string counted(std::size_t size)
{
    std::string out;
    out.reserve(size + 20);
    for (int i = 1; out.size() < size; ++i)
        out += std::to_string(i) + "\n";
    out.resize(size);
    return out;
}

/// Lets a test break a connection.
class breakable_stream final : public byte_stream {
public:
    breakable_stream(std::unique_ptr<byte_stream> inner, byte_stream** place) : inner_(std::move(inner)), place_(place) { *place_ = this; }
    ~breakable_stream() override
    {
        if (*place_ == this)
            *place_ = nullptr;
    }
    task<std::size_t> read_some(std::span<char> into) override { return inner_->read_some(into); }
    task<> write(std::span<const std::string_view> parts, std::span<const int> fds) override { return inner_->write(parts, fds); }
    bool carries_descriptors() const override { return inner_->carries_descriptors(); }
    void close() noexcept override { inner_->close(); }

private:
    std::unique_ptr<byte_stream> inner_;
    byte_stream** place_;
};

/// A real agent, a server's link to it, and a context that runs both ends of this process.
class AgentLink : public ::testing::TestWithParam<agent_process::transport> {
protected:
    AgentLink() : agent(agent_process::start(context.get_executor(), GetParam())), tasks(context.get_executor(), log) { open(); }
    ~AgentLink() override
    {
        if (link)
            close();
        caisson::testing::run_task(context, stop(&tasks));
    }

    /// A new server's link.
    void open(std::uint64_t epoch = 1, std::chrono::milliseconds lease = std::chrono::hours(1))
    {
        link = make_agent_link(context.get_executor(), time, log, [this] { return connect(this); }, {"test", epoch, lease});
        const auto opened = caisson::testing::run_task(context, link->open(time.steady_now() + limit));
        ASSERT_TRUE(opened.has_value()) << opened.error().detail;
        running = true;
        tasks.spawn("link", run(link.get(), &running, &ended_with));
    }
    /// As when a server dies: no word to the agent.
    void close()
    {
        link->close();
        run_until([this] { return !running; });
        link.reset();
    }

    static task<result<std::unique_ptr<byte_stream>>> connect(AgentLink* self)
    {
        auto connected = co_await self->agent->connector()();
        if (connected.has_error())
            co_return connected;
        ++self->connections;
        co_return std::make_unique<breakable_stream>(std::move(*connected), &self->connection);
    }

    /// A task group is to be stopped from inside of the context.
    static task<> stop(task_group* group) { co_await group->stop(); }

    static task<> run(agent_link* link, bool* running, std::optional<errc>* ended_with)
    {
        const auto ended = co_await link->run();
        *ended_with = ended.has_error() ? std::optional(ended.error().code) : std::nullopt;
        *running = false;
    }

    /// False, and a failure, if `done` does not come true in time.
    template <class F>
    bool run_until(F done)
    {
        const auto until = std::chrono::steady_clock::now() + limit;
        context.restart();
        while (!done()) {
            if (std::chrono::steady_clock::now() > until) {
                ADD_FAILURE() << "nothing more happened";
                return false;
            }
            context.run_one_for(std::chrono::milliseconds(100));
        }
        return true;
    }

    /// A sink that lives as long as the link, as attach() asks for: what a test left running is heard of while the link is closed.
    recording_sink& new_sink(resume_point from = {}) { return sinks.emplace_back(from); }

    void acknowledge_all(recording_sink& sink, exec_number number)
    {
        sink.on_bytes = [this, number](stream_number stream, std::uint64_t end) { link->acknowledge(number, stream, end); };
    }

    static spawn_request shell(std::string script)
    {
        spawn_request request;
        request.argv = {"/bin/sh", "-c", std::move(script)};
        request.env = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
        request.cwd = "/";
        return request;
    }

    /// Runs `request` as an execution to its end.
    void run_to_end(recording_sink& sink, spawn_request request, std::string input = {}, std::vector<int> join = {}, exec_number number = 1)
    {
        link->attach(number, sink, std::nullopt);
        acknowledge_all(sink, number);
        link->send_stdin(number, 0, shared_bytes(std::move(input)));
        link->spawn(number, std::move(request), std::move(join));
        run_until([&] { return sink.complete(); });
    }

    static constexpr auto limit = std::chrono::seconds(30);
    asio::io_context context;
    system_timers time;
    null_logger log;
    std::unique_ptr<agent_process> agent;
    std::deque<recording_sink> sinks;
    task_group tasks;
    byte_stream* connection = nullptr;    // the newest connection's
    int connections = 0;
    std::unique_ptr<agent_link> link;
    bool running = false;
    std::optional<errc> ended_with;
};

}    // namespace caisson::protocol
