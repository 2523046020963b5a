#include "adapters/engine/containers.hpp"

#include "adapters/engine/json_fields.hpp"
#include "adapters/engine/text_source.hpp"
#include "core/async/deadline.hpp"

#include <boost/json/parse.hpp>

namespace caisson::docker {

namespace json = boost::json;

namespace {

constexpr int most_removals = 10;
constexpr std::size_t most_wait_bytes = 64 * 1024;
constexpr std::string_view until_it_ends = "/wait?condition=not-running";

std::string container_path(const std::string& id, std::string_view action) { return "/containers/" + escaped(id) + std::string(action); }

bool says(const error& what, std::string_view words) { return what.detail.find(words) != std::string::npos; }

/// Converts the answer of a request that returns no data.
result<void> without_value(const result<json::value>& answer) { return answer.has_error() ? result<void>(answer.error()) : result<void>(); }

/// True if a pause or unpause was refused because of the container's state. The engine answers 500 for a container that is not
/// paused. It learns of pauses late; then containerd or runc refuse, also with a 500.
bool is_refused_for_state(const error& what, std::string_view verb)
{
    const auto process = "cannot " + std::string(verb) + " a ";    // containerd's shim: "cannot resume a running process"
    return says(what, process) || says(what, "is not paused") || says(what, "container not paused") || says(what, "container not running");
}

/// Converts the answer to a state change; a refusal because of the state becomes errc::conflict.
result<void> state_change(const result<json::value>& answer, std::string_view verb)
{
    if (answer.has_error() && is_refused_for_state(answer.error(), verb))
        return error{errc::conflict, answer.error().detail};
    return without_value(answer);
}

/// Reads the whole body. Errors: errc::too_large above `most` bytes.
task<result<std::string>> read_all(net::body_reader* from, std::size_t most)
{
    std::string out;
    while (true) {
        auto piece = co_await from->read();
        if (piece.has_error())
            co_return piece.error();
        if (!*piece)
            co_return out;
        if ((*piece)->size() > most - out.size())
            co_return error{errc::too_large, "it is more than " + std::to_string(most) + " bytes"};
        out += **piece;
    }
}

std::int64_t exit_status_from(const json::value& from)
{
    if (const auto* const failed = member(from, "Error"))
        if (const auto message = text_of(*failed, "Message"); !message.empty())
            throw std::runtime_error(message);
    return needed(from, "StatusCode").as_int64();
}

}    // namespace

task<result<created_container>> containers::create(container_spec spec, steady_time deadline)
{
    auto target = "/containers/create?name=" + escaped(spec.name);
    json::value body = to_json(spec);
    auto made = co_await engine_.call("POST", std::move(target), std::move(body), deadline);
    co_return read_answer(made, "a new container",
        [](const json::value& it) { return created_container{std::string(needed(it, "Id").as_string()), texts_of(it, "Warnings")}; });
}

task<result<void>> containers::start(std::string id, steady_time deadline)
{
    co_return without_value(co_await engine_.call("POST", container_path(id, "/start"), deadline));
}

task<result<void>> containers::kill(std::string id, std::string signal, steady_time deadline)
{
    auto target = container_path(id, "/kill") + "?signal=" + escaped(signal.empty() ? "SIGKILL" : signal);
    const auto done = co_await engine_.call("POST", std::move(target), deadline);
    if (done.has_error() && done.error().code == errc::conflict && says(done.error(), "is not running"))
        co_return result<void>();
    co_return without_value(done);
}

task<result<void>> containers::pause(std::string id, steady_time deadline)
{
    const auto done = co_await engine_.call("POST", container_path(id, "/pause"), deadline);
    co_return state_change(done, "pause");
}

task<result<void>> containers::unpause(std::string id, steady_time deadline)
{
    const auto done = co_await engine_.call("POST", container_path(id, "/unpause"), deadline);
    co_return state_change(done, "resume");
}

task<result<container_info>> containers::inspect(std::string id, steady_time deadline)
{
    const auto got = co_await engine_.call("GET", container_path(id, "/json"), deadline);
    co_return read_answer(got, "a container", container_info_from);
}

task<result<std::vector<container_summary>>> containers::list(std::vector<std::string> labels, steady_time deadline)
{
    auto target = "/containers/json?all=true&filters=" + label_filter(labels);
    const auto got = co_await engine_.call("GET", std::move(target), deadline);
    co_return read_answer(got, "its containers", [](const json::value& all) {
        std::vector<container_summary> out;
        for (const auto& each : all.as_array())
            out.push_back(container_summary_from(each));
        return out;
    });
}

task<result<void>> containers::remove(std::string id, steady_time deadline)
{
    for (int tries = 1; true; ++tries) {
        const auto done = co_await engine_.call("DELETE", container_path(id, "?force=true&v=true"), deadline);
        if (done.has_value() || done.error().code == errc::not_found)
            co_return result<void>();
        const bool conflicts = done.error().code == errc::conflict && tries < most_removals;
        const bool ends =
            says(done.error(), "is not running");    // the container ended before the engine's kill, and the engine has not noticed yet
        if (!conflicts || (!ends && !says(done.error(), "is already in progress")))
            co_return done.error();
        // Otherwise another client removes it. The next attempt shows the result; the container may be gone already.
        auto wait = container_path(id, ends ? until_it_ends : std::string_view("/wait?condition=removed"));
        const auto changed = co_await engine_.call("POST", std::move(wait), deadline);
        if (changed.has_error() && changed.error().code != errc::not_found)
            co_return changed.error();
    }
}

task<result<void>> containers::wait_for_end(std::string id, steady_time deadline)
{
    const auto done = co_await engine_.call("POST", container_path(id, until_it_ends), deadline);
    co_return without_value(done);
}

task<result<std::int64_t>> containers::wait(std::string id)
{
    auto opened = co_await engine_.open_stream("POST", container_path(id, until_it_ends), net::headers(), engine_.deadline());
    if (opened.has_error())
        co_return opened.error();
    auto text = co_await read_all(opened->get(), most_wait_bytes);
    if (text.has_error())
        co_return text.error();
    boost::system::error_code failed;
    result<json::value> answer = json::parse(*text, failed);
    if (failed)
        answer = not_an_engine("it does not say how a container ended");
    co_return read_answer(answer, "a container's end", exit_status_from);
}

task<result<container_stats>> containers::stats(std::string id, steady_time deadline)
{
    const auto got = co_await engine_.call("GET", container_path(id, "/stats?stream=false&one-shot=true"), deadline);
    co_return read_answer(got, "a container's usage", container_stats_from);
}

namespace {

task<result<void>> upload(engine* to, std::string target, net::body_source* body)
{
    auto done = co_await to->upload("PUT", std::move(target), *body);
    co_return done.has_error() ? result<void>(done.error()) : result<void>();
}

task<result<std::string>> download(engine* from, std::string target, std::size_t most, steady_time deadline)
{
    auto opened = co_await from->open_stream("GET", std::move(target), net::headers(), deadline);
    if (opened.has_error())
        co_return opened.error();
    co_return co_await read_all(opened->get(), most);
}

}    // namespace

task<result<void>> containers::put_archive(std::string id, std::string path, std::string tar, steady_time deadline)
{
    text_source body(std::move(tar));
    co_return co_await put_archive(std::move(id), std::move(path), &body, deadline);
}

task<result<void>> containers::put_archive(std::string id, std::string path, net::body_source* tar, steady_time deadline)
{
    auto work = upload(&engine_, container_path(id, "/archive?path=") + escaped(path), tar);
    co_return co_await with_deadline(engine_.time(), deadline, std::move(work));
}

task<result<std::string>> containers::get_archive(std::string id, std::string path, std::size_t most, steady_time deadline)
{
    auto work = download(&engine_, container_path(id, "/archive?path=") + escaped(path), most, deadline);
    co_return co_await with_deadline(engine_.time(), deadline, std::move(work));
}

}    // namespace caisson::docker
