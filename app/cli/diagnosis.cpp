#include "app/cli/diagnosis.hpp"

#include "adapters/net/tls_files.hpp"
#include "app/cli/text_table.hpp"
#include "core/languages/languages.hpp"
#include "storage/data_directory.hpp"

#include <unistd.h>

#include <algorithm>

namespace caisson::cli {

namespace {

constexpr std::size_t widest_line = 600;

finding look_at_program(const std::string& what, const std::filesystem::path& path, const std::string& remedy)
{
    if (::access(path.c_str(), X_OK) == 0)
        return {finding_state::ok, what, path.string(), ""};
    return {finding_state::failed, what, path.string() + " is not there or cannot be executed", remedy};
}

finding look_at_data(const std::filesystem::path& data_dir)
{
    auto place = data_dir;
    while (!std::filesystem::exists(place) && place.has_relative_path())
        place = place.parent_path();
    if (::access(place.c_str(), W_OK | X_OK) != 0)
        return {finding_state::failed, "data directory", place.string() + " cannot be written",
            "choose another one with --data, or change its owner"};
    if (const auto why = why_others_may_write(data_dir))
        return {finding_state::failed, "data directory", *why, ""};
    return {finding_state::ok, "data directory", place == data_dir ? data_dir.string() : data_dir.string() + " (will be made)", ""};
}

finding look_at_language(const language_catalog::entry& entry)
{
    const auto what = "language " + std::string(entry.what->name);
    if (entry.available())
        return {finding_state::ok, what, entry.compiler.empty() ? entry.path : entry.compiler, ""};
    const std::string missing(entry.missing());
    return {finding_state::information, what, missing.starts_with('/') ? missing + " is not there" : missing + " is not in /usr/bin",
        "apt-get install " + std::string(entry.what->package) + " to use it"};
}

finding judge(const runtime_capabilities& runtime, const server_config& config)
{
    const auto what = "runtime " + runtime.name;
    if (!runtime.available) {
        const auto state = runtime.name == config.default_runtime ? finding_state::failed : finding_state::degraded;
        return {state, what, "does not work", runtime.unavailable_reason};
    }
    if (!runtime.isolates)
        return {finding_state::degraded, what, "works, WITHOUT ANY ISOLATION", "switch it off unless all code that is sent is trusted"};
    return {finding_state::ok, what, runtime.name == config.default_runtime ? "works, the default" : "works", ""};
}

colour colour_of(finding_state state)
{
    switch (state) {
    case finding_state::ok: return colour::green;
    case finding_state::degraded: return colour::yellow;
    case finding_state::failed: return colour::red;
    case finding_state::information: return colour::grey;
    }
    return colour::none;
}

}    // namespace

std::string_view to_string(finding_state state)
{
    switch (state) {
    case finding_state::ok: return "ok";
    case finding_state::degraded: return "degraded";
    case finding_state::failed: return "failed";
    case finding_state::information: return "note";
    }
    return "unknown";
}

std::vector<finding> look_at_host(const server_config& config)
{
    std::vector<finding> all;
    all.push_back(look_at_data(config.data_dir));
    all.push_back(look_at_program("caisson-agent", config.agent_path, "build or install it beside caisson, or set agent_path"));
    all.push_back(look_at_program("caisson-launch", config.launch_path, "build or install it beside caisson, or set launch_path"));
    if (std::ranges::count(config.runtimes, "bubblewrap") > 0)
        all.push_back(look_at_program("bwrap", config.bubblewrap.path, "apt-get install bubblewrap"));
    const language_catalog languages;
    for (const auto& entry : languages.entries())
        all.push_back(look_at_language(entry));
    return all;
}

std::vector<finding> look_at_certificate(const server_config& config, std::int64_t now_ms)
{
    const net::tls_files files{config.http.tls.certificate, config.http.tls.key};
    if (files.certificate.empty())
        return {};
    const auto made = net::tls_context::for_server(files);
    if (made.has_error())
        return {{finding_state::failed, "TLS certificate", made.error().detail, ""}};
    const auto& facts = (*made)->certificate();
    std::vector<finding> all{{finding_state::ok, "TLS certificate", net::lifetime_text(facts, now_ms), ""}};
    for (const auto& weakness : net::weaknesses_of(facts, files, now_ms))
        all.push_back({facts.days_left(now_ms) < 0 ? finding_state::failed : finding_state::degraded, "TLS certificate", weakness, ""});
    return all;
}

std::vector<finding> judge_runtimes(const std::vector<runtime_capabilities>& found, const server_config& config)
{
    std::vector<finding> all;
    for (const auto& runtime : found) {
        all.push_back(judge(runtime, config));
        for (const auto& control : runtime.degraded)
            all.push_back({finding_state::degraded, runtime.name + " " + control.control, control.reason, control.remedy});
    }
    return all;
}

std::vector<finding> judge_dead_instances(const std::vector<dead_instance>& dead)
{
    std::vector<finding> all;
    for (const auto& each : dead) {
        const auto name = "caisson-" + each.id;
        const auto data = each.data_dir.empty() ? "an unknown place" : each.data_dir;
        all.push_back({finding_state::degraded, "left-overs of " + each.id,
            "control groups with " + std::to_string(each.sandboxes) + " sandboxes of a server that is gone, with its data (" + data + ")",
            "if the data was not moved: find /sys/fs/cgroup -path '*/" + name +
                "/*' -name cgroup.procs -exec cat {} + | sort -u | xargs -r kill -9; find /sys/fs/cgroup -depth -type d '(' -name " + name +
                " -o -path '*/" + name + "/*' ')' -exec rmdir {} +"});
    }
    return all;
}

std::vector<finding> judge_foreign_containers(const std::vector<docker::foreign_server>& foreign, const std::string& engine)
{
    std::vector<finding> all;
    for (const auto& each : foreign) {
        auto detail = "the engine has " + std::to_string(each.containers) + " containers of another server, " +
                      std::to_string(each.running) + " of them running";
        if (!each.data_dir.empty())
            detail += "; its data is in " + each.data_dir;
        if (each.alive) {
            all.push_back({finding_state::information, "containers of " + each.instance, detail + ", and it runs", ""});
            continue;
        }
        const auto docker = "docker -H " + engine + " ";
        all.push_back({finding_state::information, "containers of " + each.instance, detail + "; it does not run on this host",
            "if it runs nowhere else, and will not be started again: " + docker +
                "ps -aq --filter label=caisson.instance=" + each.instance + " | xargs -r " + docker + "rm -fv"});
    }
    return all;
}

bool healthy(const std::vector<finding>& all)
{
    return std::ranges::none_of(all, [](const finding& finding) { return finding.state == finding_state::failed; });
}

std::string findings_text(const std::vector<finding>& all, bool colours)
{
    text_table table({"STATE", "WHAT", "FOUND"});
    for (const auto& each : all) {
        const auto remedy = each.remedy.empty() ? "" : "; " + each.remedy;
        table.add({{std::string(to_string(each.state)), colour_of(each.state)}, {one_line(each.what, 40)},
            {one_line(each.detail + remedy, widest_line)}});
    }
    return table.str(colours);
}

boost::json::array findings_json(const std::vector<finding>& all)
{
    boost::json::array items;
    for (const auto& each : all)
        items.push_back({{"state", to_string(each.state)}, {"what", each.what}, {"detail", each.detail}, {"remedy", each.remedy}});
    return items;
}

}    // namespace caisson::cli
