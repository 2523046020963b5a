#pragma once

#include "app/wire/query.hpp"
#include "app/wire/request_reader.hpp"

#include <algorithm>
#include <charconv>

namespace caisson::wire {

/// Limit on the items of a page.
inline constexpr std::int64_t max_page = 200;

/// Reads the parameters of one query; the counterpart of object_reader.
class query_reader {
public:
    /// `query` must outlive the reader.
    explicit query_reader(const query_parameters& query) : query_(query) { take("ticket"); }

    const std::string* take(std::string_view name)
    {
        taken_.push_back(name);
        const auto is_it = [name](const auto& parameter) { return parameter.first == name; };
        const auto found = std::ranges::find_if(query_, is_it);
        if (found == query_.end())
            return nullptr;
        if (std::ranges::count_if(query_, is_it) > 1)
            problem(name, "is given twice");
        return &found->second;
    }

    /// All values of a parameter that may be repeated.
    std::vector<std::string> take_all(std::string_view name)
    {
        std::vector<std::string> values;
        taken_.push_back(name);
        for (const auto& [each, text] : query_)
            if (each == name)
                values.push_back(text);
        return values;
    }

    /// The parameters whose names begin with `prefix`, with the prefix removed.
    query_parameters take_prefixed(std::string_view prefix)
    {
        query_parameters found;
        for (const auto& [each, text] : query_)
            if (each.size() > prefix.size() && each.starts_with(prefix)) {
                taken_.push_back(each);
                found.emplace_back(each.substr(prefix.size()), text);
            }
        return found;
    }

    std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max)
    {
        const auto* text = take(name);
        if (text == nullptr)
            return std::nullopt;
        std::int64_t value = 0;
        const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (failure == std::errc{} && end == text->data() + text->size() && value >= min && value <= max)
            return value;
        problem(name, "must be a whole number between " + std::to_string(min) + " and " + std::to_string(max));
        return std::nullopt;
    }

    /// The value parsed by `parse`; `message` is the problem if it returns nullopt.
    template <class Parse>
    auto parsed(std::string_view name, Parse parse, std::string message) -> decltype(parse(std::string_view()))
    {
        const auto* text = take(name);
        if (text == nullptr)
            return std::nullopt;
        auto value = parse(*text);
        if (!value)
            problem(name, std::move(message));
        return value;
    }

    void problem(std::string_view name, std::string message) { problems_.add(field_path("", name), std::move(message)); }
    void later(std::string_view name)
    {
        if (take(name) != nullptr)
            problems_.add_later(std::string(name));
    }

    /// `value`, or the error of all problems. Parameters that were not taken are problems.
    template <class T>
    result<T> finish(T value)
    {
        for (const auto& [name, text] : query_)
            if (std::ranges::find(taken_, name) == taken_.end())
                problem(name, "is not a known parameter");
        if (!problems_.empty())
            return problems_.to_error();
        return value;
    }

private:
    const query_parameters& query_;
    std::vector<std::string_view> taken_;
    problem_list problems_;
};

}    // namespace caisson::wire
