#include "core/threads/patch_target.hpp"

#include "core/threads/json_number.hpp"
#include "core/threads/json_pointer.hpp"
#include "core/threads/json_string.hpp"

#include <utility>

namespace caisson {

namespace {

using parts = patch_value::parts;
using position = text_index::position;

constexpr std::size_t clone_steps = 64;    // cost of copying an element, which also takes memory

error misfit(std::string phrase) { return {errc::conflict, std::move(phrase)}; }
error nothing_there() { return misfit("there is no value at that path"); }

std::string counted(std::size_t count, std::string_view noun)
{
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// The index of `name`, or where to insert it, and whether it exists.
std::pair<std::size_t, bool> find_name(const parts& object, std::string_view name)
{
    std::size_t low = 0;
    for (auto high = object.list.size(); low < high;) {
        const auto middle = low + (high - low) / 2;
        const auto order = compare_quoted(object.list[middle].name, name);
        if (order == 0)
            return {middle, true};
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return {low, false};
}

bool same_values(const text_index& a, position at, const text_index& b, position other);

bool same_parts(const text_index& a, position at, const text_index& b, position other)
{
    auto left = at + 1;
    auto right = other + 1;
    for (auto count = a.size(at); count > 0; --count) {
        if (a.kind(at) == json_kind::object && a.name(left) != b.name(right))
            return false;
        if (!same_values(a, left, b, right))
            return false;
        left = a.next(left);
        right = b.next(right);
    }
    return true;
}

bool same_values(const text_index& a, position at, const text_index& b, position other)
{
    if (text_index::same(a, at, b, other))
        return true;
    const auto kind = a.kind(at);
    if (kind != b.kind(other) || a.size(at) != b.size(other))
        return false;
    if (kind == json_kind::number)
        return same_number(a.text(at), b.text(other));
    return a.size(at) > 0 && same_parts(a, at, b, other);
}

bool same_values(const patch_value& value, const text_index& b, position other)
{
    const auto* opened = value.opened();
    if (opened == nullptr)
        return same_values(value.index(), value.at(), b, other);
    if (value.kind() != b.kind(other) || opened->list.size() != b.size(other))
        return false;
    auto right = other + 1;
    for (std::size_t i = 0; i < opened->list.size(); ++i) {
        const auto& each = opened->list[i];
        if ((opened->object && each.name != b.name(right)) || !same_values(each.value, b, right))
            return false;
        right = b.next(right);
    }
    return true;
}

/// False if the text would be longer than `max_bytes`.
bool write(std::string& out, const patch_value& value, std::size_t max_bytes)
{
    const auto append = [&](std::string_view text) {
        const bool fits = text.size() <= max_bytes - out.size();
        out.append(fits ? text : std::string_view());
        return fits;
    };
    const auto* opened = value.opened();
    if (opened == nullptr)
        return append(value.index().text(value.at()));
    bool fits = append(opened->object ? "{" : "[");
    for (std::size_t i = 0; fits && i < opened->list.size(); ++i) {
        const auto& each = opened->list[i];
        fits = (i == 0 || append(",")) && append(each.name) && (!opened->object || append(":")) && write(out, each.value, max_bytes);
    }
    return fits && append(opened->object ? "}" : "]");
}

}    // namespace

result<void> patch_target::add(const tokens& path, patch_value value)
{
    if (auto fits = check_depth(path.size(), value); fits.has_error())
        return fits;
    if (path.empty()) {
        state_ = std::move(value);
        return {};
    }
    const auto found = spot_of(path);
    if (found.has_error())
        return found.error();
    if (found->taken && found->in->object) {
        found->in->list[found->at].value = std::move(value);
        return {};
    }
    spend(found->in->list.distance(found->at));
    const auto name = found->in->object ? keep(quoted_json(path.back())) : std::string_view();
    found->in->list.insert(found->at, {name, std::move(value)});
    return check_steps();
}

result<void> patch_target::replace(const tokens& path, patch_value value)
{
    if (auto fits = check_depth(path.size(), value); fits.has_error())
        return fits;
    const auto found = find(path);
    if (found.has_error())
        return found.error();
    **found = std::move(value);
    return {};
}

result<patch_value> patch_target::take(const tokens& path)
{
    if (path.empty())
        return error{errc::bad_request, "the whole state cannot be removed"};
    const auto found = spot_of(path);
    if (found.has_error())
        return found.error();
    if (!found->taken)
        return nothing_there();
    spend(found->in->list.distance(found->at));
    auto taken = found->in->list.take(found->at);
    if (auto steps = check_steps(); steps.has_error())
        return steps.error();
    return std::move(taken.value);
}

result<patch_value> patch_target::copy(const tokens& path)
{
    const auto found = find(path);
    if (found.has_error())
        return found.error();
    auto copied = clone(**found);
    if (auto steps = check_steps(); steps.has_error())
        return steps.error();
    return copied;
}

result<bool> patch_target::equals(const tokens& path, const patch_value& value)
{
    const auto found = find(path);
    if (found.has_error())
        return found.error();
    return same_values(**found, value.index(), value.at());
}

result<std::string> patch_target::text(std::size_t max_bytes) const
{
    std::string out;
    if (!write(out, state_, max_bytes))
        return error{errc::too_large, "the state would be longer than " + std::to_string(max_bytes) + " bytes"};
    return out;
}

result<patch_target::spot> patch_target::spot_in(patch_value& value, const std::string& token)
{
    const auto opened = open(value);
    if (opened.has_error())
        return opened.error();
    auto& list = (*opened)->list;
    if ((*opened)->object) {
        const auto [at, taken] = find_name(**opened, quoted_json(token));
        return spot{*opened, at, taken};
    }
    const auto index = token == "-" ? list.size() : index_of(token);
    if (!index)
        return misfit("there is a list, whose elements have indexes, not names");
    if (*index > list.size())
        return misfit("the list has " + counted(list.size(), "element") + " only");
    return spot{*opened, *index, *index < list.size()};
}

result<patch_target::spot> patch_target::spot_of(const tokens& path)
{
    auto* value = &state_;
    for (std::size_t i = 0;; ++i) {
        const auto next = spot_in(*value, path[i]);
        if (next.has_error() || i + 1 == path.size())
            return next;
        if (!next->taken)
            return misfit("there is nothing that could have it");
        value = &next->in->list[next->at].value;
    }
}

result<patch_value*> patch_target::find(const tokens& path)
{
    if (path.empty())
        return &state_;
    const auto found = spot_of(path);
    if (found.has_error())
        return found.error();
    if (!found->taken)
        return nothing_there();
    return &found->in->list[found->at].value;
}

result<parts*> patch_target::open(patch_value& value)
{
    if (value.opened() != nullptr)
        return value.opened();
    const auto kind = value.kind();
    if (kind != json_kind::object && kind != json_kind::list)
        return misfit("there is neither an object nor a list that could have it");
    const auto& index = value.index();
    spend(index.size(value.at()));
    if (auto steps = check_steps(); steps.has_error())
        return steps.error();
    auto opened = std::make_unique<parts>();
    opened->object = kind == json_kind::object;
    auto child = value.at() + 1;
    for (auto count = index.size(value.at()); count > 0; --count) {
        opened->list.push_back({opened->object ? index.name(child) : std::string_view(), patch_value(index, child)});
        child = index.next(child);
    }
    value.open(std::move(opened));
    return value.opened();
}

result<void> patch_target::check_depth(std::size_t above, const patch_value& value)
{
    const auto levels = height(value);
    if (auto steps = check_steps(); steps.has_error())
        return steps;
    if (above + levels > max_depth_)
        return error{errc::too_large, "the state would be nested more than " + std::to_string(max_depth_) + " levels deep"};
    return {};
}

std::size_t patch_target::height(const patch_value& value)
{
    const auto* opened = value.opened();
    if (opened == nullptr)
        return value.index().height(value.at());
    spend(opened->list.size());
    std::size_t most = 0;
    for (std::size_t i = 0; i < opened->list.size(); ++i)
        most = std::max(most, height(opened->list[i].value));
    return most + 1;
}

patch_value patch_target::clone(const patch_value& value)
{
    patch_value copied(value.index(), value.at());
    const auto* opened = value.opened();
    if (opened == nullptr || steps_left_ == 0)
        return copied;
    spend(clone_steps * (1 + opened->list.size()));
    auto parts_copied = std::make_unique<parts>();
    parts_copied->object = opened->object;
    for (std::size_t i = 0; i < opened->list.size() && steps_left_ > 0; ++i)
        parts_copied->list.push_back({opened->list[i].name, clone(opened->list[i].value)});
    copied.open(std::move(parts_copied));
    return copied;
}

result<void> patch_target::check_steps() const
{
    if (steps_left_ == 0)
        return error{errc::too_large, "the patch takes too many steps"};
    return {};
}

std::string_view patch_target::keep(std::string name)
{
    names_.push_back(std::make_unique<std::string>(std::move(name)));
    return *names_.back();
}

}    // namespace caisson
