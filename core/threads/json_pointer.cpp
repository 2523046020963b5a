#include "core/threads/json_pointer.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace caisson {

namespace {

/// Decodes the escapes of `token`; nullopt if one is invalid.
std::optional<std::string> decoded(std::string_view token)
{
    std::string text;
    for (std::size_t at = 0; at < token.size(); ++at) {
        if (token[at] != '~') {
            text += token[at];
            continue;
        }
        if (++at == token.size() || (token[at] != '0' && token[at] != '1'))
            return std::nullopt;
        text += token[at] == '0' ? '~' : '/';
    }
    return text;
}

}    // namespace

result<std::vector<std::string>> parse_pointer(std::string_view pointer)
{
    std::vector<std::string> tokens;
    if (!pointer.empty() && pointer.front() != '/')
        return error{errc::bad_request, "must begin with \"/\" or be empty"};
    while (!pointer.empty()) {
        const auto end = std::min(pointer.find('/', 1), pointer.size());
        auto token = decoded(pointer.substr(1, end - 1));
        if (!token)
            return error{errc::bad_request, "has a \"~\" that neither 0 nor 1 follows"};
        tokens.push_back(std::move(*token));
        pointer.remove_prefix(end);
    }
    return tokens;
}

std::optional<std::size_t> index_of(std::string_view token)
{
    std::size_t index = 0;
    const auto [end, failure] = std::from_chars(token.data(), token.data() + token.size(), index);
    if (token.empty() || failure != std::errc() || end != token.data() + token.size() || (token.size() > 1 && token.front() == '0'))
        return std::nullopt;
    return index;
}

void append_index(std::string& pointer, std::size_t index)
{
    char digits[20];
    const auto written = std::to_chars(std::begin(digits), std::end(digits), index);
    pointer.append("/").append(std::begin(digits), written.ptr);
}

void append_name(std::string& pointer, std::string_view quoted)
{
    pointer += '/';
    for (const char c : quoted.substr(1, quoted.size() - 2)) {
        if (c == '~')
            pointer += "~0";
        else if (c == '/')
            pointer += "~1";
        else
            pointer += c;
    }
}

}    // namespace caisson
