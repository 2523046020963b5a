#include "app/config/settings.hpp"
#include "core/auth/types.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// What settings of single tenants begin with.
constexpr std::string_view tenants_prefix = "tenants.";

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
    return {key, setting_kind::text_list, "images that skills of this tenant may name; default images.allowed", std::move(apply),
        std::move(shown)};
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

const setting* setting_book::find(const std::string& key)
{
    const auto known = std::ranges::find(settings_, key, &setting::key);
    if (known != settings_.end())
        return &*known;
    of_tenant_ = tenant_setting(draft_, key);
    return of_tenant_ ? &*of_tenant_ : nullptr;
}

bool setting_book::is_group(const std::string& key) const
{
    const auto group = key + ".";
    if (group == tenants_prefix || (key.starts_with(tenants_prefix) && is_tenant_name(key.substr(tenants_prefix.size()))))
        return true;
    return std::ranges::any_of(settings_, [&group](const setting& one) { return one.key.starts_with(group); });
}

std::string setting_book::mistake_of(const std::string& key, std::string otherwise)
{
    if (!key.starts_with(tenants_prefix))
        return otherwise;
    return "unknown key; a tenant is tenants.NAME, of 1 to 64 letters, digits, '.', '_' or '-', with weight, max_running, max_queued and "
           "images";
}

}    // namespace caisson
