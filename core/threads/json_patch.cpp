#include "core/threads/json_patch.hpp"

#include "core/threads/canonical_writer.hpp"
#include "core/threads/json_pointer.hpp"
#include "core/threads/json_string.hpp"
#include "core/threads/patch_target.hpp"
#include "core/threads/state_text.hpp"
#include "core/threads/text_index.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace caisson {

namespace {

using position = text_index::position;
using tokens = patch_target::tokens;

error malformed(std::string phrase) { return {errc::bad_request, std::move(phrase)}; }

/// An operation of the patch: a JSON object.
class operation {
public:
    operation(const text_index& patch, position at) : patch_(patch), at_(at) { }

    /// Nullopt if there is no such member.
    std::optional<position> find(std::string_view quoted_name) const
    {
        auto member = at_ + 1;
        for (auto count = patch_.size(at_); count > 0; --count) {
            if (patch_.name(member) == quoted_name)
                return member;
            member = patch_.next(member);
        }
        return std::nullopt;
    }

    result<std::string> string(std::string_view quoted_name) const
    {
        const auto member = find(quoted_name);
        if (!member)
            return malformed("it has no " + std::string(quoted_name));
        if (patch_.kind(*member) != json_kind::string)
            return malformed("its " + std::string(quoted_name) + " must be a string");
        return unquoted_json(patch_.text(*member));
    }

    result<tokens> pointer(std::string_view quoted_name) const
    {
        const auto text = string(quoted_name);
        if (text.has_error())
            return text.error();
        auto path = parse_pointer(*text);
        if (path.has_error())
            return malformed("its " + std::string(quoted_name) + " " + path.error().detail);
        return path;
    }

    result<patch_value> value() const
    {
        const auto member = find(R"("value")");
        if (!member)
            return malformed(R"(it has no "value")");
        return patch_value(patch_, *member);
    }

private:
    const text_index& patch_;
    position at_;
};

bool is_within(const tokens& path, const tokens& around)
{
    return path.size() > around.size() && std::equal(around.begin(), around.end(), path.begin());
}

result<void> put(
    patch_target& state, const operation& what, const tokens& path, result<void> (patch_target::*how)(const tokens&, patch_value))
{
    auto value = what.value();
    if (value.has_error())
        return value.error();
    return (state.*how)(path, std::move(*value));
}

result<void> remove(patch_target& state, const tokens& path)
{
    const auto taken = state.take(path);
    if (taken.has_error())
        return taken.error();
    return {};
}

result<void> move(patch_target& state, const operation& what, const tokens& path)
{
    const auto from = what.pointer(R"("from")");
    if (from.has_error())
        return from.error();
    if (is_within(path, *from))
        return malformed("a value cannot be moved into itself");
    if (path == *from) {    // a no-op, but the value must exist
        const auto there = state.copy(path);
        return there.has_error() ? result<void>(there.error()) : result<void>();
    }
    auto taken = state.take(*from);
    if (taken.has_error())
        return taken.error();
    return state.add(path, std::move(*taken));
}

result<void> copy(patch_target& state, const operation& what, const tokens& path)
{
    const auto from = what.pointer(R"("from")");
    if (from.has_error())
        return from.error();
    auto copied = state.copy(*from);
    if (copied.has_error())
        return copied.error();
    return state.add(path, std::move(*copied));
}

result<void> test(patch_target& state, const operation& what, const tokens& path)
{
    const auto value = what.value();
    if (value.has_error())
        return value.error();
    const auto same = state.equals(path, *value);
    if (same.has_error())
        return same.error();
    if (!*same)
        return error{errc::conflict, "the value there is another"};
    return {};
}

result<void> apply(patch_target& state, const operation& what, const std::string& name, const tokens& path)
{
    if (name == "add")
        return put(state, what, path, &patch_target::add);
    if (name == "remove")
        return remove(state, path);
    if (name == "replace")
        return put(state, what, path, &patch_target::replace);
    if (name == "move")
        return move(state, what, path);
    if (name == "copy")
        return copy(state, what, path);
    if (name == "test")
        return test(state, what, path);
    return malformed("its \"op\" must be add, remove, replace, move, copy or test");
}

/// Applies the operation at `at`. The details of errors name the operation.
result<void> apply(patch_target& state, const text_index& patch, position at, std::size_t number)
{
    std::string label = "operation " + std::to_string(number);
    const auto named = [&](const error& what) { return error{what.code, label + ": " + what.detail}; };
    if (patch.kind(at) != json_kind::object)
        return named(malformed("it must be an object"));
    const operation what(patch, at);
    const auto name = what.string(R"("op")");
    if (name.has_error())
        return named(name.error());
    const auto path = what.pointer(R"("path")");
    if (path.has_error())
        return named(path.error());
    label += " (" + shown_pointer(*name) + " " + shown_pointer(patch.text(*what.find(R"("path")"))) + ")";
    const auto done = apply(state, what, *name, *path);
    return done.has_error() ? result<void>(named(done.error())) : result<void>();
}

result<std::string> apply_all(const text_index& state, const text_index& patch, const patch_bounds& bounds)
{
    if (patch.kind(0) != json_kind::list)
        return malformed("a patch must be a list of operations");
    if (patch.size(0) > bounds.max_operations) {
        const auto most = std::to_string(bounds.max_operations);
        return error{errc::too_large, "a patch may have " + most + " operations, not " + std::to_string(patch.size(0))};
    }
    patch_target target(patch_value(state, 0), bounds.max_depth, bounds.max_steps);
    auto at = position{1};
    for (std::size_t number = 1; number <= patch.size(0); ++number) {
        if (const auto done = apply(target, patch, at, number); done.has_error())
            return done.error();
        at = patch.next(at);
    }
    return target.text(bounds.max_bytes);
}

}    // namespace

result<std::string> apply_patch(std::string_view state, std::string_view patch, const patch_bounds& bounds)
{
    // The list of operations and the operations add two levels.
    state_canonicalizer canonicalizer({.max_bytes = bounds.max_patch_bytes, .max_depth = bounds.max_depth + 2});
    const auto canonical = canonicalizer.canonical(patch);
    if (canonical.has_error())
        return error{canonical.error().code, "the patch " + canonical.error().detail};
    const text_index before(state);
    const text_index operations(*canonical);
    return apply_all(before, operations, bounds);
}

}    // namespace caisson
