#include "app/config/load.hpp"

#include "app/config/checks.hpp"
#include "app/config/settings.hpp"
#include "app/config/toml_source.hpp"

#include <algorithm>
#include <limits>

namespace caisson {

namespace {

/// Variables of the command line tool, which are not settings.
constexpr std::string_view client_variables[] = {"CAISSON_URL", "CAISSON_CA", "CAISSON_API_KEY", "CAISSON_CONFIG"};

/// Variables that Kubernetes sets for a service named "caisson".
bool is_service_link(std::string_view name)
{
    return name == "CAISSON_PORT" || name.starts_with("CAISSON_PORT_") || name.starts_with("CAISSON_SERVICE_");
}

constexpr std::int64_t in_mib(std::int64_t bytes) { return bytes >> 20 << 20; }

void set_defaults(draft_config& draft, const config_sources& sources)
{
    auto& config = draft.config;
    config.data_dir = default_data_dir(sources.host, sources.environment);
    config.agent_path = sources.host.executable_dir / "caisson-agent";
    config.launch_path = sources.host.executable_dir / "caisson-launch";
    config.executions.max_running = std::max<std::int64_t>(4, 2LL * sources.host.cores);
    config.executions.max_memory_bytes = in_mib(sources.host.memory_bytes / 4 * 3);
}

/// Sets the maximum, if not configured, to `most`, within the usual range and not below a configured value; then fits the default.
void fit_range(const setting_places& places, const std::string& name, limit_range& range, const limit_range& usual, std::int64_t most)
{
    const bool has_default = places.contains("limits." + name + ".default");
    if (!places.contains("limits." + name + ".max"))
        range.max = std::max({std::clamp(most, usual.min, usual.max), range.min, has_default ? range.def : 0});
    if (!has_default)
        range.def = std::clamp(usual.def, std::min(range.min, range.max), range.max);
}

/// Derives memory limits from the settings read so far. A request's memory and its disk, which is in memory, may each take a third of
/// executions.max_memory_bytes, or what the other leaves if that is less.
void fit_memory(draft_config& draft, const setting_places& places, const host_facts& host)
{
    auto& config = draft.config;
    const auto all = config.executions.max_memory_bytes;
    const execution_limit_ranges usual;
    const auto unbounded = std::numeric_limits<std::int64_t>::max();
    const auto third = all == 0 ? unbounded : in_mib(all / 3);
    auto& memory = config.limits.memory_bytes;
    auto& disk = config.limits.disk_bytes;
    const auto beside = [&](const limit_range& other, const limit_range& own) {    // at least the usual default
        return all == 0 ? third : std::max(std::min(third, all - std::min(all, other.max)), std::min(third, own.def));
    };
    const auto of_memory = places.contains("limits.disk_bytes.max") ? beside(disk, usual.memory_bytes) : third;
    fit_range(places, "memory_bytes", memory, usual.memory_bytes, of_memory);
    fit_range(places, "disk_bytes", disk, usual.disk_bytes, beside(memory, usual.disk_bytes));
    const auto with_agents = all + all / 6;
    const auto most = in_mib(host.memory_bytes - host.memory_bytes / 8);
    config.executions.groups_memory_bytes = all == 0 || most == 0 ? std::max(with_agents, most) : std::min(with_agents, most);
}

class loader {
public:
    explicit loader(const config_sources& sources) : sources_(sources), settings_(draft_)
    {
        set_defaults(draft_, sources);
        fit_memory(draft_, places_, sources_.host);
    }
    loader(const loader&) = delete;
    loader& operator=(const loader&) = delete;

    result<server_config> load()
    {
        if (sources_.file)
            apply_toml_file(*sources_.file, settings_, places_, mistakes_);
        for (const auto& [name, value] : sources_.environment)
            apply_variable(name, value);
        for (const auto& flag : sources_.flags)
            apply_flag(flag);
        fit_memory(draft_, places_, sources_.host);
        check_config(draft_, places_, mistakes_);
        if (mistakes_.empty())
            return std::move(draft_.config);
        const auto count = std::to_string(mistakes_.size()) + (mistakes_.size() == 1 ? " mistake" : " mistakes");
        return error{errc::bad_request, "the configuration has " + count, std::move(mistakes_)};
    }

    std::string describe() const
    {
        std::string text;
        for (const auto& each : settings_.fixed()) {
            const auto shown = each.shown();
            text += each.key + " = " + (shown.empty() ? "(not set)" : shown) + "\n    " + each.about + "; " +
                    std::string(name_of(each.kind)) + "; " + environment_name(each.key) + "\n";
        }
        draft_config sample;
        for (const auto* field : {"weight", "max_running", "max_queued"}) {
            const auto setting = tenant_setting(sample, "tenants.NAME." + std::string(field)).value();
            text += setting.key + "\n    " + setting.about + "; " + std::string(name_of(setting.kind)) + "; in the file or by --set\n";
        }
        for (const auto* field : {"username", "password_file"}) {
            const std::string key = "images.credentials.\"REGISTRY\".";
            const auto setting = registry_setting(sample, "images.credentials.registry." + std::string(field)).value();
            text += key + field + "\n    " + setting.about + "; " + std::string(name_of(setting.kind)) + "; in the file or by --set\n";
        }
        return text;
    }

private:
    void apply_variable(const std::string& name, const std::string& value)
    {
        if (!name.starts_with("CAISSON_") || value.empty() || is_service_link(name) ||
            std::ranges::find(client_variables, name) != std::end(client_variables))
            return;
        const auto named = [&name](const setting& setting) { return environment_name(setting.key) == name; };
        const auto to = std::ranges::find_if(settings_.fixed(), named);
        if (to == settings_.fixed().end())
            mistakes_.push_back({name, "no setting has this variable; unset it"});
        else
            apply_text(*to, name, value);
    }

    void apply_flag(const flag_setting& flag)
    {
        const auto* to = settings_.find(flag.key);
        if (to == nullptr)
            mistakes_.push_back({flag.flag, flag.key + ": " + setting_book::mistake_of(flag.key)});
        else
            apply_text(*to, flag.flag, flag.value);
    }

    void apply_text(const setting& to, const std::string& place, const std::string& text)
    {
        const auto value = parse_setting(to.kind, text);
        const auto wrong = value ? to.apply(*value) : "must be " + std::string(name_of(to.kind));
        if (wrong)
            mistakes_.push_back({place, *wrong});
        else
            places_[to.key] = place;
    }

    const config_sources& sources_;
    draft_config draft_;
    setting_book settings_;
    setting_places places_;
    std::vector<field_problem> mistakes_;
};

}    // namespace

result<server_config> load_config(const config_sources& sources) { return loader(sources).load(); }

std::string describe_settings(const config_sources& sources) { return loader(sources).describe(); }

}    // namespace caisson
