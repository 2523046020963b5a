#include "app/server/name_lookups.hpp"

#include "core/async/notifier.hpp"

#include <boost/asio/post.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace caisson {

namespace {

asio::ip::address address_of(const ::sockaddr& from)
{
    if (from.sa_family == AF_INET) {
        ::sockaddr_in v4{};
        std::memcpy(&v4, &from, sizeof v4);
        return asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
    }
    ::sockaddr_in6 v6{};
    std::memcpy(&v6, &from, sizeof v6);
    asio::ip::address_v6::bytes_type bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return asio::ip::address_v6(bytes);
}

name_lookups::addresses look_up(const name_lookups::resolver& how, const std::string& name)
{
    try {
        return how(name);
    } catch (const std::exception&) {
        return {};    // out of memory: the name has no address this time
    }
}

}    // namespace

/// A lookup that find() waits for.
struct name_lookups::lookup {
    explicit lookup(io_executor executor) : done(executor) { }
    notifier done;
    std::optional<addresses> found;
};

/// State shared by the lookup threads and the I/O thread.
struct name_lookups::shared {
    explicit shared(io_executor io) : executor(io) { }

    std::mutex guard;
    bool open = true;    // guarded: there is an executor to post to
    const io_executor executor;

    // I/O thread only.
    std::map<std::uint64_t, std::shared_ptr<lookup>> waited_for;
    std::size_t threads = 0;

    void take(std::uint64_t number, addresses found);
};

name_lookups::name_lookups(io_executor executor, std::size_t most, resolver how)
    : executor_(executor), most_(most), how_(std::move(how)), shared_(std::make_shared<shared>(executor))
{
}

name_lookups::~name_lookups()
{
    const std::lock_guard lock(shared_->guard);
    shared_->open = false;
    shared_->waited_for.clear();
}

std::size_t name_lookups::under_way() const { return shared_->threads; }

name_lookups::addresses name_lookups::ask_system(const std::string& name)
{
    ::addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    ::addrinfo* found = nullptr;
    if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0)
        return {};
    const std::unique_ptr<::addrinfo, void (*)(::addrinfo*)> owned(found, &::freeaddrinfo);
    addresses out;
    for (const auto* each = found; each != nullptr; each = each->ai_next)
        if (each->ai_family == AF_INET || each->ai_family == AF_INET6)
            out.push_back(address_of(*each->ai_addr));
    return out;
}

void name_lookups::shared::take(std::uint64_t number, addresses found)
{
    --threads;
    const auto waiting = waited_for.extract(number);
    if (!waiting)
        return;
    waiting.mapped()->found = std::move(found);
    waiting.mapped()->done.notify_all();
}

/// Throws std::system_error if no thread can be created.
void name_lookups::begin(std::uint64_t number, std::string name)
{
    std::thread asking([common = shared_, how = how_, number, name = std::move(name)] {
        ::pthread_setname_np(::pthread_self(), "caisson-resolve");
        auto found = look_up(how, name);
        const std::lock_guard lock(common->guard);
        if (common->open)
            asio::post(common->executor, [common, number, found = std::move(found)]() mutable { common->take(number, std::move(found)); });
    });
    asking.detach();
    ++shared_->threads;
}

task<result<name_lookups::addresses>> name_lookups::find(std::string name)
{
    if (shared_->threads >= most_)
        co_return error{errc::runtime_unavailable, "too many names are being looked up; the name " + name + " has to wait"};
    const auto common = shared_;
    const auto number = next_number_++;
    const auto asked = std::make_shared<lookup>(executor_);
    begin(number, name);
    common->waited_for.emplace(number, asked);
    while (!asked->found) {
        const auto seen = asked->done.version();
        co_await asked->done.wait_past(seen);
    }
    if (asked->found->empty())
        co_return error{errc::runtime_unavailable, "the name " + name + " stands for no address"};
    co_return std::move(*asked->found);
}

}    // namespace caisson
