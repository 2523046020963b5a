#include "app/wire/file_field.hpp"

#include <algorithm>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::string_view file_forms = "must be a string, or an object with either text or base64";

/// Three or four octal digits, without setuid, setgid and the sticky bit (chmod(2)).
std::optional<std::uint32_t> mode_of(std::string_view digits)
{
    const bool is_octal = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '7'; });
    if (!is_octal || digits.size() < 3 || digits.size() > 4 || (digits.size() == 4 && digits.front() != '0'))
        return std::nullopt;
    std::uint32_t mode = 0;
    for (const char digit : digits)
        mode = mode * 8 + static_cast<std::uint32_t>(digit - '0');
    return mode;
}

std::optional<std::uint32_t> read_mode(object_reader& reader)
{
    const auto* value = reader.take("mode");
    if (value == nullptr)
        return file_content().mode;
    const auto mode = value->is_string() ? mode_of(value->get_string()) : std::nullopt;
    if (!mode)
        reader.problem("mode", "must be a string of three or four octal digits between \"0000\" and \"0777\"");
    return mode;
}

/// The content of an object with text or base64.
std::optional<std::string> read_content(object_reader& reader, const std::string& field, std::size_t max_bytes)
{
    const auto* text = reader.take("text");
    const auto* base64 = reader.take("base64");
    if ((text == nullptr) == (base64 == nullptr)) {
        reader.problems().add(field, std::string(file_forms));
        return std::nullopt;
    }
    if (base64 != nullptr)
        return bytes_of(json::object{{"base64", *base64}}, field, max_bytes, reader.problems());
    if (text->is_string())
        return bytes_of(*text, reader.path_of("text"), max_bytes, reader.problems());
    reader.problem("text", "must be a string");
    return std::nullopt;
}

}    // namespace

std::optional<file_content> read_file_content(
    const json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems)
{
    if (!value.is_object() && !value.is_string()) {
        problems.add(field, std::string(file_forms));
        return std::nullopt;
    }
    if (value.is_string()) {
        auto bytes = bytes_of(value, field, max_bytes, problems);
        return bytes ? std::optional(file_content{std::move(*bytes)}) : std::nullopt;
    }
    object_reader reader(value.get_object(), field, problems);
    auto bytes = read_content(reader, field, max_bytes);
    const auto mode = read_mode(reader);
    reader.refuse_unknown();
    if (!bytes || !mode)
        return std::nullopt;
    return file_content{std::move(*bytes), *mode};
}

}    // namespace caisson::wire
