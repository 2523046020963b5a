#include "app/cli/verb_parsers.hpp"

#include "app/cli/help_texts.hpp"
#include "app/cli/option_helpers.hpp"
#include "app/cli/quantities.hpp"

#include <algorithm>

namespace caisson::cli {

verb_parsers::verb_parsers(CLI::App& app, defaults values) : app_(app), defaults_(std::move(values))
{
    app_.footer(help::general(defaults_.data_dir));
    app_.require_subcommand(1);
    app_.set_version_flag("--version", "");
    add_serve();
    add_run();
    add_ps();
    add_one_execution();
    add_artifacts();
    add_skills();
    add_images();
    add_threads();
    add_keys();
    add_doctor();
    add_storage();
    add_verb(app_, "version", "Print the version");
}

CLI::App* verb_parsers::add_verb(CLI::App& to, const std::string& name, const std::string& about, const std::string& footer)
{
    auto* const verb = to.add_subcommand(name, about);
    if (!footer.empty())
        verb->footer(footer);
    return verb;
}

void verb_parsers::add_data(CLI::App* verb, client_options& to, const std::string& about_data)
{
    to.url = defaults_.url;
    to.data_dir = defaults_.data_dir;
    verb->add_option("--data", to.data_dir, about_data + "; default " + defaults_.data_dir)->option_text("DIR");
}

void verb_parsers::add_output(CLI::App* verb, client_options& to)
{
    const std::map<std::string, output_format> formats{{"table", output_format::table}, {"json", output_format::json}};
    verb->add_option("--output,-o", to.output, "how results are shown; default table")
        ->transform(CLI::CheckedTransformer(formats).description(""))
        ->option_text("table|json");
}

void verb_parsers::add_local(CLI::App* verb, client_options& to, const std::string& about_data)
{
    add_data(verb, to, about_data);
    add_output(verb, to);
}

void verb_parsers::add_ca(CLI::App* verb, client_options& to)
{
    to.ca_file = defaults_.ca_file;
    verb->add_option("--ca", to.ca_file, "PEM file of the CAs to trust for https instead of the system's; also CAISSON_CA")
        ->option_text("FILE");
}

void verb_parsers::add_address(CLI::App* verb, client_options& to)
{
    verb->add_option("--url", to.url, "the server's address; default " + defaults_.url)->option_text("URL");
    add_ca(verb, to);
    add_data(verb, to, "data directory, for its admin.key");
}

void verb_parsers::add_client(CLI::App* verb, client_options& to)
{
    add_address(verb, to);
    add_output(verb, to);
}

void verb_parsers::add_ps()
{
    auto [ps_verb, ps] = add<ps_options>(app_, "ps", "List executions, newest first", help::ps());
    add_client(ps_verb, ps.client);
    ps_verb->add_flag("--all,-a", ps.all, "ended ones too");
    ps_verb->add_option("--status", ps.status, "only these")
        ->check(CLI::IsMember({"queued", "running", "success", "failed", "timeout", "cancelled", "interrupted"}));
    ps_verb->add_option("--label", ps.label, "only those with this label")->option_text("NAME=VALUE");
    ps_verb->add_option("--limit,-n", ps.limit, "at most so many")->check(CLI::Range(1, 10'000))->capture_default_str();
}

void verb_parsers::add_one_execution()
{
    const auto add_id = [](CLI::App* verb, std::string& id) {
        verb->add_option("ID", id, "the execution")->required()->check(execution_id_check());
    };

    auto [show_verb, show] = add<show_options>(app_, "show", "Show the record of an execution", help::show());
    add_client(show_verb, show.client);
    add_id(show_verb, show.id);

    auto [logs_verb, logs] = add<logs_options>(app_, "logs", "Print what an execution wrote", help::logs());
    add_client(logs_verb, logs.client);
    logs_verb->add_flag("--follow,-f", logs.follow, "go on until it ends");
    logs_verb->add_option("--stream", logs.stream, "only this one")->check(CLI::IsMember({"stdout", "stderr"}));
    add_id(logs_verb, logs.id);

    auto [cancel_verb, cancel] = add<cancel_options>(app_, "cancel", "End an execution", help::cancel());
    add_client(cancel_verb, cancel.client);
    add_id(cancel_verb, cancel.id);

    auto [rm_verb, rm] = add<rm_options>(app_, "rm", "Remove records and output of ended executions", help::rm());
    add_client(rm_verb, rm.client);
    rm_verb->add_option("ID", rm.ids, "the executions")->required()->check(execution_id_check());
}

void verb_parsers::add_keys()
{
    auto* const key = add_verb(app_, "key", "Make, list and revoke API keys", help::key(defaults_.data_dir));
    key->require_subcommand(1);

    auto [key_create_verb, key_create] = add<key_create_options>(*key, "create", "Make a key and print it once", help::key_create());
    add_local(key_create_verb, key_create.client, "data directory");
    key_create_verb->add_option("--tenant", key_create.tenant, "whose key it is; made if there is no such tenant")->required();
    key_create_verb->add_option("--scope", key_create.scopes, "what it may do: run, read, admin; default run and read")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"run", "read", "admin"}));
    add_parsed(key_create_verb, "--expires", key_create.expires_in_ms, parse_duration_ms, "a time such as 30d or 12h",
        "end of validity from now; default never")
        ->option_text("TIME");

    auto [key_list_verb, key_list] = add<key_list_options>(*key, "ls", "List keys", help::key_list());
    add_local(key_list_verb, key_list.client, "data directory");
    key_list_verb->add_option("--tenant", key_list.tenant, "only this tenant's");

    auto [key_revoke_verb, key_revoke] = add<key_revoke_options>(*key, "revoke", "End a key", help::key_revoke());
    add_local(key_revoke_verb, key_revoke.client, "data directory");
    key_revoke_verb->add_option("ID", key_revoke.id, "the key (key_…)")->required();
}

command verb_parsers::chosen()
{
    const auto given = std::ranges::find_if(verbs_, [](const declared& each) { return each.verb->parsed(); });
    return given == verbs_.end() ? command(version_options{}) : given->options();
}

}    // namespace caisson::cli
