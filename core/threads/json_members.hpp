#pragma once

#include "core/threads/text_index.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// The members of a canonical JSON object, each as it is asked for. The text outlives it.
class json_members {
public:
    /// Nothing has members that is no object.
    explicit json_members(std::string_view canonical) : index_(canonical) { }

    bool is_object() const { return index_.kind(0) == json_kind::object; }
    /// A member as it stands; nothing if there is none.
    std::optional<std::string_view> raw(std::string_view name) const;
    // Nothing, too, where the member is of another kind.
    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name) const;
    bool flag(std::string_view name) const { return raw(name) == "true"; }
    std::vector<std::string> texts(std::string_view name) const;
    /// The first member's name that is none of these.
    std::optional<std::string> first_but(std::span<const std::string_view> names) const;

private:
    std::optional<text_index::position> find(std::string_view name) const;

    text_index index_;
};

}    // namespace caisson
