#include "app/config/settings.hpp"
#include "core/auth/types.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::string_view tenants_prefix = "tenants.";
constexpr std::string_view credentials_prefix = "images.credentials.";

setting tenant_number(const std::string& key, std::int64_t& target, std::int64_t min, std::int64_t max, std::string about)
{
    auto apply = [&target, min, max](const setting_value& value) -> std::optional<std::string> {
        const auto number = std::get<std::int64_t>(value);
        if (number < min || number > max)
            return "must be from " + std::to_string(min) + " to " + std::to_string(max) + ", is " + std::to_string(number);
        target = number;
        return std::nullopt;
    };
    return {key, setting_kind::integer, std::move(about), std::move(apply), [&target] { return std::to_string(target); }};
}

bool is_registry_name(std::string_view name)
{
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':'; };
    return !name.empty() && name.size() <= 255 && std::ranges::all_of(name, plain);
}

setting registry_username(const std::string& key, registry_config& registry)
{
    auto apply = [&registry](const setting_value& value) -> std::optional<std::string> {
        registry.username = std::get<std::string>(value);
        return std::nullopt;
    };
    return {key, setting_kind::text, "who this server is to the registry", std::move(apply), [&registry] { return registry.username; }};
}

setting registry_password_file(const std::string& key, registry_config& registry)
{
    auto apply = [&registry](const setting_value& value) -> std::optional<std::string> {
        const auto& text = std::get<std::string>(value);
        if (text.empty() || text.find('\0') != std::string::npos)
            return "must be a path";
        registry.password_file = std::filesystem::absolute(text).lexically_normal();
        return std::nullopt;
    };
    return {key, setting_kind::text, "file with the password", std::move(apply), [&registry] { return registry.password_file.string(); }};
}

setting tenant_images(const std::string& key, tenant_config& tenant)
{
    auto apply = [&tenant](const setting_value& value) -> std::optional<std::string> {
        tenant.images = std::get<std::vector<std::string>>(value);
        return std::nullopt;
    };
    auto shown = [&tenant] {
        std::string text;
        for (const auto& image : tenant.images.value_or(std::vector<std::string>()))
            text += (text.empty() ? "" : ",") + image;
        return text;
    };
    return {key, setting_kind::text_list, "images that executions and skills of this tenant may name; default images.allowed",
        std::move(apply), std::move(shown)};
}

}    // namespace

std::optional<setting> tenant_setting(draft_config& draft, const std::string& key)
{
    const auto dot = key.rfind('.');
    if (!key.starts_with(tenants_prefix) || dot < tenants_prefix.size())
        return std::nullopt;
    const auto name = key.substr(tenants_prefix.size(), dot - tenants_prefix.size());
    const auto field = key.substr(dot + 1);
    if (!is_tenant_name(name) || (field != "weight" && field != "max_running" && field != "max_queued" && field != "images"))
        return std::nullopt;
    auto& tenant = draft.config.tenants[name];
    if (field == "images")
        return tenant_images(key, tenant);
    if (field == "weight")
        return tenant_number(key, tenant.weight, 1, 100, "turns of this tenant for one of another, while both have executions that wait");
    if (field == "max_running")
        return tenant_number(
            key, tenant.max_running, 1, 10'000, "executions of this tenant at once; default executions.tenant_max_running");
    return tenant_number(
        key, tenant.max_queued, 0, 1'000'000, "executions of this tenant that may wait; default executions.tenant_max_queued");
}

std::optional<setting> registry_setting(draft_config& draft, const std::string& key)
{
    const auto dot = key.rfind('.');
    if (!key.starts_with(credentials_prefix) || dot < credentials_prefix.size())
        return std::nullopt;
    const auto name = key.substr(credentials_prefix.size(), dot - credentials_prefix.size());
    const auto field = key.substr(dot + 1);
    if (!is_registry_name(name) || (field != "username" && field != "password_file"))
        return std::nullopt;
    auto& registry = draft.config.images.credentials[name];
    return field == "username" ? registry_username(key, registry) : registry_password_file(key, registry);
}

const setting* setting_book::find(const std::string& key)
{
    const auto known = std::ranges::find(settings_, key, &setting::key);
    if (known != settings_.end())
        return &*known;
    single_ = tenant_setting(draft_, key);
    if (!single_)
        single_ = registry_setting(draft_, key);
    return single_ ? &*single_ : nullptr;
}

bool setting_book::is_group(const std::string& key) const
{
    const auto group = key + ".";
    if (group == tenants_prefix || (key.starts_with(tenants_prefix) && is_tenant_name(key.substr(tenants_prefix.size()))))
        return true;
    if (group == credentials_prefix || (key.starts_with(credentials_prefix) && is_registry_name(key.substr(credentials_prefix.size()))))
        return true;
    return std::ranges::any_of(settings_, [&group](const setting& setting) { return setting.key.starts_with(group); });
}

std::string setting_book::mistake_of(const std::string& key, std::string otherwise)
{
    if (key.starts_with(credentials_prefix))
        return "unknown key; a registry is images.credentials.\"NAME\", such as \"registry.example:5000\", with username and password_file";
    if (!key.starts_with(tenants_prefix))
        return otherwise;
    return "unknown key; a tenant is tenants.NAME, of 1 to 64 letters, digits, '.', '_' or '-', with weight, max_running, max_queued and "
           "images";
}

}    // namespace caisson
