#include "adapters/net/router.hpp"

#include "adapters/net/percent.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace caisson::net {

namespace {

struct method_route {
    std::size_t route;
    std::vector<std::string> names;    // of the captures, in order
};

/// Cuts off the segment before the next '/'. Without a '/', `rest` becomes a null view.
std::string_view cut_segment(std::string_view& rest)
{
    const auto slash = rest.find('/');
    const auto segment = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    return segment;
}

bool has_more(std::string_view rest) { return rest.data() != nullptr; }

}    // namespace

struct router::node {
    std::map<std::string, std::unique_ptr<node>, std::less<>> literals;
    std::unique_ptr<node> capture;
    std::unique_ptr<node> rest;
    std::map<std::string, method_route, std::less<>> methods;    // in order, for Allow

    /// The node of `path` that has `method` (empty: any); appends the undecoded captures to `values`. Literals first, then captures.
    const node* walk(std::string_view path, std::string_view method, std::vector<std::string_view>& values) const;
    /// For a path that ends here: this node if it has `method`, else null.
    const node* end(std::string_view method) const
    {
        return method.empty() ? (methods.empty() ? nullptr : this) : has(method) ? this : nullptr;
    }
    bool has(std::string_view method) const { return methods.contains(method) || (method == "HEAD" && methods.contains("GET")); }
    std::string allow() const;
};

const router::node* router::node::walk(std::string_view path, std::string_view method, std::vector<std::string_view>& values) const
{
    auto after = path;
    const auto segment = cut_segment(after);
    auto go_on = [&](const node& next) { return has_more(after) ? next.walk(after, method, values) : next.end(method); };
    if (const auto literal = literals.find(segment); literal != literals.end()) {
        if (const auto* found = go_on(*literal->second))
            return found;
    }
    if (capture && !segment.empty()) {
        values.push_back(segment);
        if (const auto* found = go_on(*capture))
            return found;
        values.pop_back();
    }
    if (rest && !path.empty()) {
        values.push_back(path);
        if (const auto* found = rest->end(method))
            return found;
        values.pop_back();
    }
    return nullptr;
}

std::string router::node::allow() const
{
    std::string out;
    for (const auto& [method, route] : methods) {
        out += (out.empty() ? "" : ", ") + method;
        if (method == "GET" && !methods.contains("HEAD"))
            out += ", HEAD";
    }
    return out;
}

std::string_view route_match::capture(std::string_view name) const
{
    const auto found = std::ranges::find(captures, name, [](const auto& each) { return std::string_view(each.first); });
    return found == captures.end() ? std::string_view() : std::string_view(found->second);
}

router::router() : root_(std::make_unique<node>()) { }
router::~router() = default;
router::router(router&&) noexcept = default;
router& router::operator=(router&&) noexcept = default;

void router::add(std::string_view method, std::string_view pattern, std::size_t route)
{
    const auto bad = [&](const char* why) { return std::invalid_argument("route " + std::string(pattern) + ": " + why); };
    if (!pattern.starts_with('/'))
        throw bad("it does not begin with '/'");
    auto child = [](std::unique_ptr<node>& of) -> node* {
        if (!of)
            of = std::make_unique<node>();
        return of.get();
    };
    node* at = root_.get();
    method_route entry{route, {}};
    for (auto left = pattern.substr(1); has_more(left);) {
        const auto segment = cut_segment(left);
        if (!segment.starts_with('{')) {
            at = child(at->literals[std::string(segment)]);
            continue;
        }
        if (!segment.ends_with('}'))
            throw bad("a capture is a whole segment");
        auto name = segment.substr(1, segment.size() - 2);
        const bool takes_rest = name.ends_with("...");
        if (takes_rest && has_more(left))
            throw bad("nothing may follow {name...}");
        if (takes_rest)
            name.remove_suffix(3);
        if (name.empty() || std::ranges::count(entry.names, name) > 0)
            throw bad("a capture needs a name of its own");
        entry.names.emplace_back(name);
        at = child(takes_rest ? at->rest : at->capture);
    }
    if (!at->methods.emplace(method, std::move(entry)).second)
        throw bad("it is there already");
}

route_match router::match(std::string_view method, std::string_view path) const
{
    route_match out;
    std::vector<std::string_view> values;
    const bool is_path = path.starts_with('/');
    const node* found = is_path ? root_->walk(path.substr(1), method, values) : nullptr;
    if (!found && is_path)
        found = root_->walk(path.substr(1), "", values);
    if (!found)
        return out;
    auto entry = found->methods.find(method);
    if (entry == found->methods.end() && method == "HEAD")
        entry = found->methods.find("GET");
    if (entry == found->methods.end()) {
        out.kind = match_kind::method_not_allowed;
        out.allow = found->allow();
        return out;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto value = percent_decode(values[i]);
        if (!value || value->find('\0') != std::string::npos) {
            out.captures.clear();
            return out;
        }
        out.captures.emplace_back(entry->second.names[i], std::move(*value));
    }
    out.kind = match_kind::found;
    out.route = entry->second.route;
    return out;
}

}    // namespace caisson::net
