#include "adapters/host/cgroup/kernel_text.hpp"

#include <algorithm>
#include <charconv>

namespace caisson {

std::string_view take_line(std::string_view& text)
{
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

std::optional<std::int64_t> number_of(std::string_view text, std::string_view key)
{
    while (!text.empty()) {
        auto value = take_line(text);
        if (!key.empty()) {
            if (!value.starts_with(key) || value.size() <= key.size() || value[key.size()] != ' ')
                continue;
            value.remove_prefix(key.size() + 1);
        }
        std::int64_t number = 0;
        if (std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc())
            return number;
    }
    return std::nullopt;
}

std::string status_value(std::string_view status, std::string_view name)
{
    const auto at = status.find("\n" + std::string(name) + ":\t");
    if (at == std::string_view::npos)
        return {};
    const auto value = status.substr(at + name.size() + 3);
    return std::string(value.substr(0, value.find('\n')));
}

}    // namespace caisson
