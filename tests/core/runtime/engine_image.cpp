#include "tests/core/runtime/engine_image.hpp"

#include "adapters/engine/images.hpp"
#include "adapters/engine/text_source.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace caisson::testing {

namespace {

namespace fs = std::filesystem;

constexpr const char* busybox = "/bin/busybox";

std::string output_of(const std::string& command)
{
    std::string out;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
        throw std::runtime_error(command);
    char buffer[65'536];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        out.append(buffer, got);
    if (::pclose(pipe) != 0)
        throw std::runtime_error(command + " failed");
    return out;
}

/// A root file system with each applet where Debian has it, as far as tests go, as a tar.
std::string root_file_system()
{
    std::string directory = "/tmp/caisson-image-XXXXXX";
    if (::access(busybox, X_OK) != 0 || ::mkdtemp(directory.data()) == nullptr)
        throw std::runtime_error("no static busybox: apt-get install busybox-static");
    fs::create_directories(directory + "/root/usr/bin");
    fs::copy_file(busybox, directory + "/root/usr/bin/busybox");
    fs::create_symlink("usr/bin", directory + "/root/bin");
    std::string applets = output_of(std::string(busybox) + " --list");
    for (std::size_t at = 0, end = 0; (end = applets.find('\n', at)) != std::string::npos; at = end + 1) {
        const auto name = applets.substr(at, end - at);
        if (name != "busybox")
            fs::create_symlink("busybox", directory + "/root/usr/bin/" + name);
    }
    auto tar = output_of("tar -C " + directory + "/root -cf - .");
    fs::remove_all(directory);
    return tar;
}

/// With a context of its own: whoever uses the image has another.
template <class Work>
void on_engine(Work work)
{
    const auto address = test_engine_address();
    if (!address)
        throw std::runtime_error("no engine to test with: set CAISSON_TEST_ENGINE");
    asio::io_context context;
    system_timers time;
    docker::engine engine(context.get_executor(), time, {.address = *address});
    const auto done = run_task(context, work(&engine));
    if (done.has_error())
        throw std::runtime_error(done.error().detail);
}

task<result<void>> import_to(docker::engine* engine, std::string name)
{
    docker::text_source tar(root_file_system());
    docker::images images(*engine);
    std::vector<std::string> changes;
    co_return co_await images.import(std::move(name), tar, std::move(changes));
}

task<result<void>> look_for_runtime(docker::engine* engine, std::string wanted, bool* found)
{
    const auto info = co_await engine->info(engine->deadline());
    if (info.has_error())
        co_return info.error();
    *found = std::ranges::find(info->runtimes, wanted) != info->runtimes.end();
    co_return result<void>();
}

task<result<void>> remove_from(docker::engine* engine, std::string name)
{
    docker::images images(*engine);
    co_return co_await images.remove(std::move(name), engine->deadline());
}

}    // namespace

std::optional<std::string> test_engine_address()
{
    const char* address = std::getenv("CAISSON_TEST_ENGINE");
    if (address == nullptr || *address == '\0')
        return std::nullopt;
    return address;
}

bool test_engine_has(const std::string& engine_runtime)
{
    bool found = false;
    on_engine([&](docker::engine* engine) { return look_for_runtime(engine, engine_runtime, &found); });
    return found;
}

engine_image::engine_image()
{
    static std::atomic<int> last = 0;
    name_ = "caisson-test-runtime:" + std::to_string(::getpid()) + "-" + std::to_string(++last);
    on_engine([this](docker::engine* engine) { return import_to(engine, name_); });
}

engine_image::~engine_image()
{
    try {
        on_engine([this](docker::engine* engine) { return remove_from(engine, name_); });
    } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
    }
}

}    // namespace caisson::testing
