#include "app/config/setting_kinds.hpp"

namespace caisson {

namespace {

using mistake = std::optional<std::string>;

std::string listed(const std::vector<std::string>& items)
{
    std::string text;
    for (const auto& item : items)
        text += (text.empty() ? "" : ",") + item;
    return text;
}

}    // namespace

setting integer(std::string key, std::int64_t& target, std::int64_t min, std::int64_t max, std::string about)
{
    auto apply = [&target, min, max](const setting_value& value) -> mistake {
        const auto number = std::get<std::int64_t>(value);
        if (number < min || number > max)
            return "must be from " + std::to_string(min) + " to " + std::to_string(max) + ", is " + std::to_string(number);
        target = number;
        return std::nullopt;
    };
    return {std::move(key), setting_kind::integer, std::move(about), std::move(apply), [&target] { return std::to_string(target); }};
}

setting boolean(std::string key, bool& target, std::string about)
{
    auto apply = [&target](const setting_value& value) -> mistake {
        target = std::get<bool>(value);
        return std::nullopt;
    };
    return {std::move(key), setting_kind::boolean, std::move(about), std::move(apply), [&target] { return target ? "true" : "false"; }};
}

setting path(std::string key, std::filesystem::path& target, std::string about)
{
    auto apply = [&target](const setting_value& value) -> mistake {
        const auto& text = std::get<std::string>(value);
        if (text.empty() || text.find('\0') != std::string::npos)
            return "must be a path";
        target = std::filesystem::absolute(text).lexically_normal();
        return std::nullopt;
    };
    return {std::move(key), setting_kind::text, std::move(about), std::move(apply), [&target] { return target.string(); }};
}

setting text(std::string key, std::string& target, std::string about)
{
    auto apply = [&target](const setting_value& value) -> mistake {
        target = std::get<std::string>(value);
        return std::nullopt;
    };
    return {std::move(key), setting_kind::text, std::move(about), std::move(apply), [&target] { return target; }};
}

setting text_list(std::string key, std::vector<std::string>& target, std::string about)
{
    auto apply = [&target](const setting_value& value) -> mistake {
        target = std::get<std::vector<std::string>>(value);
        return std::nullopt;
    };
    return {std::move(key), setting_kind::text_list, std::move(about), std::move(apply), [&target] { return listed(target); }};
}

setting module_list(std::string key, std::vector<std::string>& target, std::string about)
{
    auto apply = [&target](const setting_value& value) -> mistake {
        const auto& names = std::get<std::vector<std::string>>(value);
        for (const auto& name : names)
            if (!is_module_name(name))
                return "must be names of modules such as numpy or os.path, not \"" + name + "\"";
        target = names;
        return std::nullopt;
    };
    return {std::move(key), setting_kind::text_list, std::move(about), std::move(apply), [&target] { return listed(target); }};
}

}    // namespace caisson
