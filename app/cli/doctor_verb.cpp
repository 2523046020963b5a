#include "app/cli/client_session.hpp"
#include "app/cli/diagnosis.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/host_limits.hpp"
#include "app/cli/verbs.hpp"
#include "core/async/deadline.hpp"

namespace caisson::cli {

namespace {

constexpr std::chrono::seconds answer_within{3};

finding unknown_server(std::string detail) { return {finding_state::information, "server", std::move(detail), ""}; }

task<int> ask_server(client_session* session, finding* found)
{
    auto asked = co_await with_deadline(session->time(), session->time().steady_now() + answer_within, session->api().get("/health"));
    if (asked.has_error())
        *found = unknown_server("none answers at " + session->api().address());
    else if (const auto* health = asked->if_object(); health != nullptr && !text_of(*health, "version").empty())
        *found = {finding_state::ok, "server", "answers at " + session->api().address() + ", version " + text_of(*health, "version"), ""};
    else
        *found = unknown_server("something else than Caisson answers at " + session->api().address());
    co_return exit_status::ok;
}

finding look_at_server(const client_options& options, const verb_context& context)
{
    auto access = resolve_access(options, context.environment);
    if (access.has_error())
        return {finding_state::degraded, "server", access.error().detail, "set CAISSON_URL right or unset it"};
    finding found;
    client_session session(std::move(*access));
    session.run(ask_server(&session, &found));
    return found;
}

}    // namespace

int run_verb(const doctor_options& options, const verb_context& context)
{
    const config_sources sources{context.host, options.config_file, context.environment, options.flags};
    const auto config = load_config(sources);
    if (config.has_error())
        return complain(config.error(), exit_status::usage);
    auto all = look_at_host(*config);
    const auto host_limits = look_at_host_limits(*config);
    all.insert(all.end(), host_limits.begin(), host_limits.end());
    const auto certificate = look_at_certificate(*config, system_clock().now_ms());
    all.insert(all.end(), certificate.begin(), certificate.end());
    const auto runtimes = judge_runtimes(context.hooks->probe_runtimes(*config), *config);
    all.insert(all.end(), runtimes.begin(), runtimes.end());
    if (context.hooks->find_dead_instances) {
        const auto dead = judge_dead_instances(context.hooks->find_dead_instances(*config));
        all.insert(all.end(), dead.begin(), dead.end());
    }
    if (context.hooks->find_foreign_containers) {
        const auto foreign = judge_foreign_containers(context.hooks->find_foreign_containers(*config), config->docker.engine);
        all.insert(all.end(), foreign.begin(), foreign.end());
    }
    all.push_back(look_at_server(options.client, context));
    if (options.client.output == output_format::json)
        print_json({{"healthy", healthy(all)}, {"findings", findings_json(all)}});
    else
        print(findings_text(all, context.colours));
    return healthy(all) ? exit_status::ok : exit_status::failed;
}

}    // namespace caisson::cli
