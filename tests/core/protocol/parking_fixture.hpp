#pragma once

#include "tests/core/protocol/agent_link_fixture.hpp"

#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

namespace caisson::protocol {

/// Keeps what is written to it, where a control group would take processes in.
class fake_group {
public:
    int get() const { return file_.get(); }
    std::string text() const
    {
        char bytes[100];
        const auto got = ::pread(file_.get(), bytes, sizeof(bytes), 0);
        return {bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
    }

private:
    unique_fd file_{::memfd_create("group", MFD_CLOEXEC)};
};

/// A real agent that is asked to have something wait before its link runs.
class ParkingLink : public AgentLink {
protected:
    /// Another agent, and no server yet: one parks between open() and run().
    void renew()
    {
        if (link)
            close();
        agent = agent_process::start(context.get_executor(), GetParam());
    }
    result<bool> ask(exec_number number, park_request order, std::vector<int> join)
    {
        context.restart();
        link = make_agent_link(context.get_executor(), time, log, [this] { return connect(this); }, {"test", 2, std::chrono::hours(1)});
        const auto opened = caisson::testing::run_task(context, link->open(time.steady_now() + limit));
        EXPECT_TRUE(opened.has_value());
        const auto parked =
            caisson::testing::run_task(context, link->park(number, std::move(order), std::move(join), time.steady_now() + limit));
        running = true;
        tasks.spawn("link", run(link.get(), &running, &ended_with));
        return parked;
    }
    pid_t child_of_agent() const
    {
        std::ifstream in("/proc/" + std::to_string(agent->pid()) + "/task/" + std::to_string(agent->pid()) + "/children");
        pid_t pid = 0;
        in >> pid;
        return pid;
    }
};

}    // namespace caisson::protocol
