#include "tests/adapters/containers/imposter.hpp"

#include "adapters/net/body_decoder.hpp"
#include "adapters/net/head.hpp"
#include "core/base/log.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <optional>

namespace caisson::testing {

namespace {

using local = asio::local::stream_protocol;
using local_acceptor = asio::basic_socket_acceptor<local, io_executor>;
using tcp_acceptor = asio::basic_socket_acceptor<net::tcp, io_executor>;

null_logger silent;

/// "/v1.41/info" is "1.41" and "/info".
std::pair<std::string, std::string> split_version(const std::string& path)
{
    const auto slash = path.find('/', 1);
    const auto first = path.substr(0, slash);
    const bool versioned = slash != std::string::npos && first.size() > 2 && first.starts_with("/v") && first[2] >= '0' && first[2] <= '9';
    return versioned ? std::pair(first.substr(2), path.substr(slash)) : std::pair(std::string(), path);
}

}    // namespace

std::string imposter::seen_request::query_value(std::string_view name) const
{
    for (const auto& [key, value] : query)
        if (key == name)
            return value;
    return {};
}

struct imposter::connection {
    explicit connection(net::stream with) : socket(std::move(with)) { }
    net::stream socket;
    std::string input;
    bool ended = false;     // no more input
    bool closed = false;    // by this side
    void close()
    {
        closed = true;
        boost::system::error_code ignored;
        socket.close(ignored);
    }
};

struct imposter::impl {
    impl(io_executor the_executor, options the_options)
        : executor(the_executor)
        , how(std::move(the_options))
        , changed(std::make_shared<notifier>(executor))
        , tasks(executor, silent)
        , unplanned(changed)
        , pong(changed)
        , version(changed)
    {
        unplanned.fails(404, "page not found");
        pong.whole(200, {{"Api-Version", how.api_version}, {"Content-Type", "text/plain; charset=utf-8"}}, "OK");
        version.json(200,
            {{"Version", how.version}, {"ApiVersion", how.api_version}, {"MinAPIVersion", "1.12"}, {"Os", "linux"}, {"Arch", "amd64"}});
    }

    io_executor executor;
    options how;
    std::shared_ptr<notifier> changed;
    task_group tasks;
    scratch_directory folder;
    std::string address;
    std::uint16_t port = 0;
    std::shared_ptr<local_acceptor> by_path;
    std::shared_ptr<tcp_acceptor> by_port;
    std::list<std::shared_ptr<connection>> open;
    std::size_t opened = 0;
    bool corked = false;

    struct plan {
        std::list<script> answers;    // whose addresses are given out
        std::deque<script*> next;     // of these, not used up yet
    };
    std::map<std::pair<std::string, std::string>, plan> plans;
    script unplanned;
    script pong;
    script version;
    std::vector<seen_request> requests;

    void listen();
    void shut();
    script& answer_to(const seen_request& what);

    using self = std::shared_ptr<impl>;
    template <class Acceptor>
    static task<> accept(self me, std::shared_ptr<Acceptor> from);
    static void begin(self me, net::any_socket socket);
    static task<> read(self me, std::shared_ptr<connection> from);
    static task<> serve(self me, std::shared_ptr<connection> on);
    static task<std::optional<seen_request>> next_request(self me, std::shared_ptr<connection> on);
    static task<bool> give(self me, std::shared_ptr<connection> on, script* what, std::string method);
    static task<bool> write(std::shared_ptr<connection> on, std::string bytes);
    void take_input(connection& from, script& into);
};

script& imposter::impl::answer_to(const seen_request& what)
{
    const auto found = plans.find({what.method, what.path});
    if (found != plans.end() && !found->second.next.empty()) {
        auto& next = found->second.next;
        auto* const out = next.front();
        if (next.size() > 1)
            next.pop_front();
        return *out;
    }
    if (what.path == "/_ping")
        return pong;
    return what.path == "/version" ? version : unplanned;
}

void imposter::impl::listen()
{
    if (how.tcp) {
        by_port = std::make_shared<tcp_acceptor>(executor, net::tcp::endpoint(asio::ip::address_v4::loopback(), port));
        port = by_port->local_endpoint().port();
        address = "tcp://127.0.0.1:" + std::to_string(port);
        return;
    }
    const auto path = folder.path() + "/s";
    std::filesystem::remove(path);
    by_path = std::make_shared<local_acceptor>(executor, local::endpoint(path));
    address = "unix://" + path;
}

void imposter::impl::shut()
{
    boost::system::error_code ignored;
    if (by_path)
        by_path->close(ignored);
    if (by_port)
        by_port->close(ignored);
    by_path.reset();
    by_port.reset();
    std::filesystem::remove(folder.path() + "/s");
    for (const auto& each : open)
        each->close();
    changed->notify_all();
}

template <class Acceptor>
task<> imposter::impl::accept(self me, std::shared_ptr<Acceptor> from)
{
    while (true) {
        boost::system::error_code failed;
        auto socket = co_await from->async_accept(asio::redirect_error(use_task, failed));
        if (failed)
            co_return;
        begin(me, net::any_socket(std::move(socket)));
    }
}

void imposter::impl::begin(self me, net::any_socket socket)
{
    auto made = std::make_shared<connection>(net::stream(std::move(socket)));
    me->open.push_back(made);
    ++me->opened;
    me->tasks.spawn("imposter", serve(me, made));
    me->changed->notify_all();
}

task<> imposter::impl::read(self me, std::shared_ptr<connection> from)
{
    std::string room(64 * 1024, '\0');
    while (!from->ended && !from->closed) {
        while (me->corked)
            co_await me->changed->wait_past(me->changed->version());
        boost::system::error_code failed;
        const auto count = co_await from->socket.async_read_some(asio::buffer(room), asio::redirect_error(use_task, failed));
        from->input.append(room, 0, count);
        from->ended = failed.failed();
        me->changed->notify_all();
    }
}

task<bool> imposter::impl::write(std::shared_ptr<connection> on, std::string bytes)
{
    boost::system::error_code failed;
    co_await asio::async_write(on->socket, asio::buffer(bytes), asio::redirect_error(use_task, failed));
    co_return !failed;
}

task<> imposter::impl::serve(self me, std::shared_ptr<connection> on)
{
    boost::system::error_code failed;
    if (me->how.tls) {
        on->socket.start_tls(me->how.tls);
        co_await on->socket.async_handshake(asio::redirect_error(use_task, failed));
    }
    if (!failed) {
        me->tasks.spawn("imposter's reading", read(me, on));
        while (true) {
            auto what = co_await next_request(me, on);
            if (!what)
                break;
            auto* const answer = &me->answer_to(*what);
            auto method = what->method;
            me->requests.push_back(std::move(*what));
            answer->received_.clear();
            answer->input_ended_ = false;
            me->changed->notify_all();
            const bool more = co_await give(me, on, answer, std::move(method));
            if (!more)
                break;
        }
    }
    on->close();
    me->open.remove(on);
    me->changed->notify_all();
}

task<std::optional<imposter::seen_request>> imposter::impl::next_request(self me, std::shared_ptr<connection> on)
{
    net::request_head head;
    std::optional<net::body_decoder> decoder;
    std::string body;
    while (true) {
        const auto seen = me->changed->version();
        net::head_scanner scanner{net::head_limits{}};
        if (!decoder && scanner.scan(on->input)) {
            if (net::parse_request_head(std::string_view(on->input).substr(0, scanner.head_bytes()), head))
                co_return std::nullopt;
            on->input.erase(0, scanner.head_bytes());
            decoder.emplace(head.body, head.content_length, UINT64_MAX);
        }
        if (decoder)
            on->input.erase(0, decoder->feed(on->input, body));
        if (decoder && decoder->done())
            break;
        if (on->ended || on->closed)
            co_return std::nullopt;
        co_await me->changed->wait_past(seen);
    }
    auto& request = head.request;
    auto [version, path] = split_version(request.path);
    co_return seen_request{request.method, request.target, path, version, request.query, request.fields, std::move(body)};
}

void imposter::impl::take_input(connection& from, script& into)
{
    if (from.input.empty() && into.input_ended_ == from.ended)
        return;
    into.received_ += std::exchange(from.input, {});
    into.input_ended_ = from.ended;
    changed->notify_all();
}

/// False if no other request can follow.
task<bool> imposter::impl::give(self me, std::shared_ptr<connection> on, script* what, std::string method)
{
    for (std::size_t at = 0; true;) {
        const auto seen = me->changed->version();
        if (on->closed)
            co_return false;
        if (at == what->steps_.size()) {
            me->take_input(*on, *what);
            if (on->ended && !what->hijacks_)
                co_return false;
            co_await me->changed->wait_past(seen);
            continue;
        }
        const auto step = what->steps_[at++];
        if (step.what == script::step::kind::next_request)
            co_return true;
        if (step.what == script::step::kind::cut)
            co_return false;
        if (step.what == script::step::kind::body && method == "HEAD")
            continue;
        const bool written = co_await write(on, step.bytes);
        if (!written)
            co_return false;
    }
}

imposter::imposter(io_executor executor, options how) : impl_(std::make_shared<impl>(executor, std::move(how))) { come_up(); }

imposter::~imposter() { impl_->shut(); }

const std::string& imposter::address() const { return impl_->address; }

void imposter::come_up()
{
    impl_->listen();
    if (impl_->by_path)
        impl_->tasks.spawn("imposter's listening", impl::accept(impl_, impl_->by_path));
    if (impl_->by_port)
        impl_->tasks.spawn("imposter's listening", impl::accept(impl_, impl_->by_port));
}

void imposter::go_down() { impl_->shut(); }

task<> imposter::stop()
{
    impl_->shut();
    co_await impl_->tasks.stop();
}

script& imposter::on(std::string_view method, std::string_view path)
{
    auto& plan = impl_->plans[{std::string(method), std::string(path)}];
    auto& made = plan.answers.emplace_back(impl_->changed);
    plan.next.push_back(&made);
    return made;
}

void imposter::forget(std::string_view method, std::string_view path)
{
    impl_->plans[{std::string(method), std::string(path)}].next.clear();
}

const std::vector<imposter::seen_request>& imposter::requests() const { return impl_->requests; }

std::vector<imposter::seen_request> imposter::requests(std::string_view method, std::string_view path) const
{
    std::vector<seen_request> out;
    std::ranges::copy_if(
        impl_->requests, std::back_inserter(out), [&](const seen_request& each) { return each.method == method && each.path == path; });
    return out;
}

task<> imposter::until_requests(std::string method, std::string path, std::size_t count)
{
    while (requests(method, path).size() < count)
        co_await impl_->changed->wait_past(impl_->changed->version());
}

task<> imposter::until_received(const script& from, std::string bytes)
{
    while (from.received_.find(bytes) == std::string::npos)
        co_await impl_->changed->wait_past(impl_->changed->version());
}

task<> imposter::until_input_ended(const script& from)
{
    while (!from.input_ended_)
        co_await impl_->changed->wait_past(impl_->changed->version());
}

std::size_t imposter::connections() const { return impl_->open.size(); }
std::size_t imposter::connections_ever() const { return impl_->opened; }

void imposter::cork() { impl_->corked = true; }
void imposter::uncork()
{
    impl_->corked = false;
    impl_->changed->notify_all();
}

}    // namespace caisson::testing
