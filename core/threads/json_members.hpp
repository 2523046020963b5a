#pragma once

#include "core/threads/text_index.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Typed access to the members of a canonical JSON object. The text must outlive it.
class json_members {
public:
    /// Any canonical value; one that is not an object has no members.
    explicit json_members(std::string_view canonical) : index_(canonical) { }

    bool is_object() const { return index_.kind(0) == json_kind::object; }
    /// The text of a member's value; nullopt if there is no such member.
    std::optional<std::string_view> raw(std::string_view name) const;
    // Empty, too, if the member is of another kind.
    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name) const;
    bool flag(std::string_view name) const { return raw(name) == "true"; }
    std::vector<std::string> texts(std::string_view name) const;
    /// The name of the first member that is not in `names`.
    std::optional<std::string> first_but(std::span<const std::string_view> names) const;

private:
    std::optional<text_index::position> find(std::string_view name) const;

    text_index index_;
};

}    // namespace caisson
