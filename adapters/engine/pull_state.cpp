#include "adapters/engine/pull_state.hpp"

#include "adapters/engine/engine_error.hpp"
#include "adapters/engine/json_fields.hpp"

#include <algorithm>

namespace caisson::docker {

namespace json = boost::json;

namespace {

constexpr std::size_t max_layers = 1'000;    // engines allow 128

bool holds_any(std::string_view text, std::initializer_list<std::string_view> of)
{
    return std::ranges::any_of(of, [&](std::string_view each) { return text.find(each) != std::string_view::npos; });
}

/// A countdown to the next retry is not progress.
bool is_countdown(std::string_view status) { return status.starts_with("Retrying in"); }

}    // namespace

error pull_error(error from)
{
    // The order matters: for a hidden repository a registry says that it does not exist or that access is denied.
    if (holds_any(from.detail, {"repository does not exist", "manifest unknown", "name unknown", "no matching manifest",
                                   "no match for platform", ": not found"}))
        from.code = errc::not_found;
    else if (holds_any(from.detail, {"unauthorized:", "denied:", "access denied", "authentication required", "no basic auth credentials",
                                        "403 Forbidden", "401 Unauthorized"}))
        from.code = errc::forbidden;
    return from;
}

pull_state::step pull_state::take(const json::object& line)
{
    if (auto message = failure_of(line)) {
        failed_ = pull_error(engine_error(500, *message));
        return step::moved;
    }
    auto id = text_of(line, "id");
    auto status = text_of(line, "status");
    if (id.empty() || status.starts_with("Pulling from ")) {
        const bool same = status == status_;
        status_ = std::move(status);
        return same ? step::same : step::moved;
    }
    const auto* const detail = member(line, "progressDetail");
    const auto current = detail ? number_of(*detail, "current") : 0;
    const auto total = detail ? number_of(*detail, "total") : 0;
    return take_layer(std::move(id), std::move(status), current, total);
}

pull_state::step pull_state::take_layer(std::string id, std::string status, std::int64_t current, std::int64_t total)
{
    if (layers_.size() >= max_layers && !layers_.contains(id))
        return step::same;
    auto& of = layers_[std::move(id)];
    const bool same = is_countdown(status) || (status == of.status && current == of.current);
    if (status == "Downloading") {
        of.total = std::max<std::int64_t>(total, of.total);
        of.bytes = std::clamp<std::int64_t>(current, 0, of.total);
    } else if (status == "Download complete" || status == "Extracting" || status == "Pull complete") {
        of.bytes = of.total;
    }
    of.done = of.done || status == "Pull complete" || status == "Already exists";
    of.current = current;
    of.status = std::move(status);
    count();
    return same ? step::same : step::moved;
}

void pull_state::count()
{
    progress_.layers = layers_.size();
    progress_.layers_done = 0;
    progress_.bytes = 0;
    progress_.bytes_total = 0;
    for (const auto& [id, each] : layers_) {
        progress_.layers_done += each.done;
        progress_.bytes += each.bytes;
        progress_.bytes_total += each.total;
    }
}

}    // namespace caisson::docker
