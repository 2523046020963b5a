#pragma once

#include "core/skills/ports.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Reads members of a YAML map by their types and collects what is wrong. What is null or an empty text counts as not
/// there.
class field_reader {
public:
    /// `map` and `mistakes` outlive it; `path` stands before names in messages: "retry.".
    field_reader(const yaml_value& map, std::string path, std::vector<std::string>& mistakes)
        : map_(map), path_(std::move(path)), mistakes_(mistakes)
    {
    }

    /// Nothing: it is not there.
    const yaml_value* find(std::string_view key) const;
    /// As it is written, whatever it may mean: `version: 1.0` is "1.0".
    std::string text(std::string_view key);
    std::optional<std::int64_t> number(std::string_view key, std::int64_t min, std::int64_t max);
    std::optional<double> decimal(std::string_view key, double min, double max);
    std::optional<bool> flag(std::string_view key);
    /// A duration of Go's ("500ms") in milliseconds.
    std::optional<std::int64_t> milliseconds(std::string_view key, std::int64_t min, std::int64_t max);
    /// A list of texts; a single text is one of one.
    std::vector<std::string> texts(std::string_view key, std::size_t max_count, std::size_t max_bytes);
    /// Nothing, with a mistake if it is there and no map.
    const yaml_value* map(std::string_view key);

    void mistake(std::string sentence) { mistakes_.push_back(std::move(sentence)); }
    std::string name(std::string_view key) const { return path_ + std::string(key); }
    /// Keys that are none of `known`.
    std::vector<std::string> unknown(std::initializer_list<std::string_view> known) const;

private:
    void wrong_type(const yaml_value& value, std::string_view wanted);

    const yaml_value& map_;
    std::string path_;
    std::vector<std::string>& mistakes_;
};

/// `text` in quotes, shortened.
std::string in_quotes(std::string_view text);

}    // namespace caisson
