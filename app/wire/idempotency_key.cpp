#include "app/wire/idempotency_key.hpp"

#include "core/admission/idempotency.hpp"

#include <optional>

namespace caisson::wire {

namespace {

/// Decodes an RFC 8941 string; nullopt unless it spans all of `field`.
std::optional<std::string> unquoted(std::string_view field)
{
    std::string text;
    for (std::size_t i = 1; i < field.size(); ++i) {
        if (field[i] == '"')
            return i + 1 == field.size() ? std::optional(text) : std::nullopt;
        if (field[i] == '\\') {
            ++i;
            if (i == field.size() || (field[i] != '"' && field[i] != '\\'))
                return std::nullopt;
        }
        text += field[i];
    }
    return std::nullopt;
}

std::string_view trimmed(std::string_view field)
{
    const auto begin = field.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return field.substr(begin, field.find_last_not_of(" \t") - begin + 1);
}

}    // namespace

result<std::string> parse_idempotency_key(std::string_view field)
{
    const auto value = trimmed(field);
    const auto key = value.starts_with('"') ? unquoted(value) : std::optional(std::string(value));
    if (key && is_idempotency_key(*key))
        return *key;
    const std::string wanted = R"(must be 1 to 255 printable ASCII characters, alone or as one string in quotes: "8e03978e-40d5")";
    return error{errc::bad_request, "Idempotency-Key " + wanted, {{"Idempotency-Key", wanted}}};
}

}    // namespace caisson::wire
