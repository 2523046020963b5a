#include "core/threads/common_subsequence.hpp"
#include "core/threads/json_patch.hpp"
#include "core/threads/json_pointer.hpp"
#include "core/threads/json_string.hpp"
#include "core/threads/text_index.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace caisson {

namespace {

using position = text_index::position;

/// The text of an operation around its path and its value. An operation without a value has an empty `before_value`.
struct form {
    std::string_view before_path;
    std::string_view before_value;
    std::string_view end;
    std::size_t size() const { return before_path.size() + before_value.size() + end.size() + 1; }    // with a comma
};
constexpr form add_form{R"({"op":"add","path":")", R"(","value":)", "}"};
constexpr form replace_form{R"({"op":"replace","path":")", R"(","value":)", "}"};
constexpr form remove_form{R"({"op":"remove","path":")", "", R"("})"};

/// Collects operations without formatting them, so that it can discard them where a replacement of the whole value is shorter.
class differ {
public:
    differ(const text_index& from, const text_index& to, const diff_bounds& bounds)
        : from_(from), to_(to), bounds_(bounds), steps_left_(bounds.max_steps)
    {
    }

    std::string patch();

private:
    struct operation {
        const form* what;
        std::size_t path_begin;    // in paths_
        std::size_t path_end;
        std::string_view value;
    };
    struct mark {
        std::size_t operations;
        std::size_t paths;
        std::size_t bytes;
    };

    bool change(position a, position b, std::size_t spare_bytes = 0);
    bool change_parts(position a, position b);
    bool change_members(position a, position b);
    bool change_elements(position a, position b);
    std::size_t common_begin(std::span<const position> olds, std::span<const position> news) const;
    std::vector<common_element> kept_elements(std::span<const position> olds, std::span<const position> news, std::size_t begin);
    bool change_run(std::size_t at, std::span<const position> removed, std::span<const position> added);
    bool at_name(std::string_view name, const auto& what);
    bool at_index(std::size_t index, const auto& what);
    bool put(const form& what, std::string_view value);
    mark here() const { return {operations_.size(), paths_.size(), bytes_}; }
    void back_to(const mark& place);
    std::string text() const;

    const text_index& from_;
    const text_index& to_;
    const diff_bounds& bounds_;
    std::vector<operation> operations_;
    std::string paths_;
    std::string path_;          // of the values being compared, with JSON escapes
    std::size_t steps_left_;    // for list comparison
    std::size_t bytes_ = 0;
    std::size_t limit_ = std::numeric_limits<std::size_t>::max();    // upper bound of bytes_
};

std::vector<position> children_of(const text_index& index, position at)
{
    std::vector<position> children(index.size(at));
    auto child = at + 1;
    for (auto& each : children)
        child = index.next(each = child);
    return children;
}

/// Numbers the elements of two lists; equal numbers mean equal texts.
std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> numbers_of(
    const text_index& from, std::span<const position> a, const text_index& to, std::span<const position> b)
{
    std::vector<std::pair<const text_index*, position>> all;
    for (const auto each : a)
        all.emplace_back(&from, each);
    for (const auto each : b)
        all.emplace_back(&to, each);
    std::vector<std::uint32_t> order(all.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    const auto before = [&](std::uint32_t x, std::uint32_t y) {
        return text_index::before(*all[x].first, all[x].second, *all[y].first, all[y].second);
    };
    std::ranges::sort(order, before);
    std::vector<std::uint32_t> numbers(all.size());
    for (std::size_t i = 1; i < order.size(); ++i)
        numbers[order[i]] = numbers[order[i - 1]] + (before(order[i - 1], order[i]) ? 1 : 0);
    const auto middle = numbers.begin() + std::ssize(a);
    return {{numbers.begin(), middle}, {middle, numbers.end()}};
}

std::string differ::patch()
{
    change(0, 0, bounds_.spare_bytes);
    return text();
}

bool differ::put(const form& what, std::string_view value)
{
    const auto bytes = what.size() + path_.size() + value.size();
    if (operations_.size() >= std::max<std::size_t>(bounds_.max_operations, 1) || bytes > limit_ - bytes_)
        return false;
    bytes_ += bytes;
    const auto begin = paths_.size();
    paths_ += path_;
    operations_.push_back({&what, begin, paths_.size(), value});
    return true;
}

void differ::back_to(const mark& place)
{
    operations_.resize(place.operations);
    paths_.resize(place.paths);
    bytes_ = place.bytes;
}

bool differ::at_name(std::string_view name, const auto& what)
{
    const auto length = path_.size();
    append_name(path_, name);
    const bool fits = what();
    path_.resize(length);
    return fits;
}

bool differ::at_index(std::size_t index, const auto& what)
{
    const auto length = path_.size();
    append_index(path_, index);
    const bool fits = what();
    path_.resize(length);
    return fits;
}

/// Turns `a` into `b`: with operations on parts if they are not longer than a replacement, else with one. False: neither fits.
bool differ::change(position a, position b, std::size_t spare_bytes)
{
    if (text_index::same(from_, a, to_, b))
        return true;
    const auto begin = here();
    const auto limit = limit_;
    const auto whole = replace_form.size() + path_.size() + to_.text(b).size() + spare_bytes;
    limit_ = std::min(limit, bytes_ + whole);
    const bool fits = change_parts(a, b);
    limit_ = limit;
    if (fits)
        return true;
    back_to(begin);
    return put(replace_form, to_.text(b));
}

/// False if there are no common kinds of parts, or beyond a bound.
bool differ::change_parts(position a, position b)
{
    const auto kind = from_.kind(a);
    if (kind != to_.kind(b))
        return false;
    if (kind == json_kind::object)
        return change_members(a, b);
    return kind == json_kind::list && change_elements(a, b);
}

bool differ::change_members(position a, position b)
{
    const auto olds = children_of(from_, a);
    const auto news = children_of(to_, b);
    for (auto o = olds.begin(), n = news.begin(); o != olds.end() || n != news.end();) {
        const auto order = o == olds.end()   ? std::strong_ordering::greater
                           : n == news.end() ? std::strong_ordering::less
                                             : compare_quoted(from_.name(*o), to_.name(*n));
        bool fits = false;
        if (order < 0) {
            fits = at_name(from_.name(*o++), [&] { return put(remove_form, {}); });
        } else if (order > 0) {
            const auto added = *n++;
            fits = at_name(to_.name(added), [&] { return put(add_form, to_.text(added)); });
        } else {
            const auto old = *o++;
            const auto fresh = *n++;
            fits = at_name(to_.name(fresh), [&] { return change(old, fresh); });
        }
        if (!fits)
            return false;
    }
    return true;
}

bool differ::change_elements(position a, position b)
{
    const auto olds = children_of(from_, a);
    const auto news = children_of(to_, b);
    const auto begin = common_begin(olds, news);
    auto old_at = begin;
    auto new_at = begin;    // also the index of the next operation: all before it is done
    for (const auto& next : kept_elements(olds, news, begin)) {
        const auto removed = std::span(olds).subspan(old_at, next.from - old_at);
        const auto added = std::span(news).subspan(new_at, next.to - new_at);
        if (!change_run(new_at, removed, added))
            return false;
        old_at = next.from + 1;
        new_at = next.to + 1;
    }
    return true;
}

std::size_t differ::common_begin(std::span<const position> olds, std::span<const position> news) const
{
    std::size_t count = 0;
    while (count < std::min(olds.size(), news.size()) && text_index::same(from_, olds[count], to_, news[count]))
        ++count;
    return count;
}

/// The elements kept between the first `begin` ones and the common end, followed by the start of the common end.
std::vector<common_element> differ::kept_elements(std::span<const position> olds, std::span<const position> news, std::size_t begin)
{
    olds = olds.subspan(begin);
    news = news.subspan(begin);
    while (!olds.empty() && !news.empty() && text_index::same(from_, olds.back(), to_, news.back())) {
        olds = olds.first(olds.size() - 1);
        news = news.first(news.size() - 1);
    }
    std::vector<common_element> kept;
    if (!olds.empty() && !news.empty() && olds.size() + news.size() <= steps_left_) {
        steps_left_ -= olds.size() + news.size();
        const auto [from, to] = numbers_of(from_, olds, to_, news);
        const auto of_others = steps_left_ / 2;    // reserved for the lists that follow
        auto steps = steps_left_ - of_others;
        kept = common_subsequence(from, to, steps);
        steps_left_ = of_others + steps;
    }
    kept.push_back({olds.size(), news.size()});
    for (auto& each : kept)
        each = {each.from + begin, each.to + begin};
    return kept;
}

/// Replaces `removed` by `added` in a list from index `at` on: changes elements pairwise, then removes or adds the rest.
bool differ::change_run(std::size_t at, std::span<const position> removed, std::span<const position> added)
{
    const auto both = std::min(removed.size(), added.size());
    for (std::size_t i = 0; i < both; ++i)
        if (!at_index(at + i, [&] { return change(removed[i], added[i]); }))
            return false;
    for (std::size_t i = both; i < removed.size(); ++i)
        if (!at_index(at + both, [&] { return put(remove_form, {}); }))
            return false;
    for (std::size_t i = both; i < added.size(); ++i)
        if (!at_index(at + i, [&] { return put(add_form, to_.text(added[i])); }))
            return false;
    return true;
}

std::string differ::text() const
{
    std::string text;
    text.reserve(bytes_ + 2);
    text += '[';
    for (const auto& each : operations_) {
        if (text.size() > 1)
            text += ',';
        text.append(each.what->before_path).append(paths_, each.path_begin, each.path_end - each.path_begin);
        text.append(each.what->before_value).append(each.value).append(each.what->end);
    }
    return text += ']';
}

}    // namespace

std::string diff_states(std::string_view from, std::string_view to, const diff_bounds& bounds)
{
    if (from == to)
        return "[]";
    const text_index before(from);
    const text_index after(to);
    return differ(before, after, bounds).patch();
}

}    // namespace caisson
