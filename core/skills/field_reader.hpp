#pragma once

#include "core/skills/ports.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Reads typed members of a YAML map and collects a message for each invalid one. Null and empty members count as absent.
class field_reader {
public:
    /// `map` and `mistakes` must outlive the reader. `path` prefixes member names in messages: "retry.".
    field_reader(const yaml_value& map, std::string path, std::vector<std::string>& mistakes)
        : map_(map), path_(std::move(path)), mistakes_(mistakes)
    {
    }

    /// Null if the member is absent.
    const yaml_value* find(std::string_view key) const;
    /// The scalar as it is written: `version: 1.0` is "1.0".
    std::string text(std::string_view key);
    std::optional<std::int64_t> number(std::string_view key, std::int64_t min, std::int64_t max);
    std::optional<double> decimal(std::string_view key, double min, double max);
    std::optional<bool> flag(std::string_view key);
    /// Parses a Go duration ("500ms").
    std::optional<std::int64_t> milliseconds(std::string_view key, std::int64_t min, std::int64_t max);
    /// A list of strings; a single string counts as a list of one.
    std::vector<std::string> texts(std::string_view key, std::size_t max_count, std::size_t max_bytes);
    /// Null if absent or, with a message, not a map.
    const yaml_value* map(std::string_view key);

    void mistake(std::string sentence) { mistakes_.push_back(std::move(sentence)); }
    std::string name(std::string_view key) const { return path_ + std::string(key); }
    /// The names of keys that are not in `known`.
    std::vector<std::string> unknown(std::initializer_list<std::string_view> known) const;

private:
    void wrong_type(const yaml_value& value, std::string_view wanted);

    const yaml_value& map_;
    std::string path_;
    std::vector<std::string>& mistakes_;
};

/// shown_name() of `text`, in quotes.
std::string in_quotes(std::string_view text);

}    // namespace caisson
