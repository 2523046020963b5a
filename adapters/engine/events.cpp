#include "adapters/engine/events.hpp"

#include "adapters/engine/json_lines.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds first_delay = 100ms;
constexpr std::chrono::milliseconds longest_delay = 5s;
constexpr std::chrono::seconds steady_after = 10s;    // a feed that lasted this long resets the delay
constexpr std::int64_t ns_per_s = 1'000'000'000;

const boost::json::value* find(const boost::json::object* in, std::string_view name)
{
    return in == nullptr ? nullptr : in->if_contains(name);
}

std::string text_in(const boost::json::object* in, std::string_view name)
{
    const auto* const found = find(in, name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

const boost::json::object* object_in(const boost::json::object* in, std::string_view name)
{
    const auto* const found = find(in, name);
    return found == nullptr ? nullptr : found->if_object();
}

/// The engine's time format: seconds and a fraction of nine digits.
std::string timestamp(std::int64_t ns)
{
    const auto fraction = std::to_string(ns % ns_per_s);
    return std::to_string(ns / ns_per_s) + "." + std::string(9 - fraction.size(), '0') + fraction;
}

}    // namespace

std::optional<container_event> container_event_from(const boost::json::object& json)
{
    const auto* const actor = object_in(&json, "Actor");
    container_event out{.action = text_in(&json, "Action"), .id = text_in(actor, "ID")};
    const auto* const at = json.if_contains("timeNano");
    if (out.action.empty() || out.id.empty() || at == nullptr || !at->is_int64())
        return std::nullopt;
    out.at_ns = at->get_int64();
    if (const auto* const attributes = object_in(actor, "Attributes"))
        for (const auto& [name, value] : *attributes)
            if (value.is_string())
                out.attributes.emplace(name, value.get_string());
    return out;
}

event_feed::event_feed(engine& on, timers& time, std::vector<std::string> labels, listener to, std::string type)
    : engine_(on), time_(time), labels_(std::move(labels)), to_(std::move(to)), type_(std::move(type))
{
}

std::string event_feed::target() const
{
    boost::json::object filters{{"type", boost::json::array{type_}}};
    if (!labels_.empty())
        filters["label"] = boost::json::array(labels_.begin(), labels_.end());
    return "/events?since=" + timestamp(since_ns_) + "&filters=" + escaped(boost::json::serialize(filters));
}

result<void> event_feed::take(json_lines* cut, std::string_view bytes)
{
    while (true) {
        auto object = cut->next(bytes);
        if (object.has_error())
            return object.error();
        if (!*object)
            return {};
        const auto event = container_event_from(**object);
        if (!event)
            continue;
        since_ns_ = event->at_ns + 1;
        to_.take(*event);
    }
}

/// Follows one connection and returns why it ended.
task<error> event_feed::follow_once()
{
    net::headers fields;
    json_lines cut;
    auto body = co_await engine_.open_stream("GET", target(), std::move(fields), engine_.deadline());
    if (body.has_error())
        co_return body.error();
    if (std::exchange(lost_, false))
        to_.restored();
    if (to_.begun)
        to_.begun();
    while (true) {
        auto piece = co_await (*body)->read();
        if (piece.has_error())
            co_return piece.error();
        if (!*piece)
            co_return error{errc::runtime_unavailable, "the Docker engine ended its events"};
        const auto taken = take(&cut, **piece);
        if (taken.has_error())
            co_return taken.error();
    }
}

task<> event_feed::run()
{
    since_ns_ = time_.now_ms() * (ns_per_s / 1000);
    co_await follow();
}

task<> event_feed::run_from_the_past()
{
    since_ns_ = 0;
    co_await follow();
}

task<> event_feed::follow()
{
    auto delay = first_delay;
    while (true) {
        const auto began = time_.steady_now();
        const auto why = co_await follow_once();
        if (time_.steady_now() - began >= steady_after)
            delay = first_delay;
        if (!std::exchange(lost_, true))
            to_.lost(why);
        co_await time_.wait_for(delay);
        delay = std::min(2 * delay, longest_delay);
    }
}

}    // namespace caisson::docker
