#include "app/cli/verb_parsers.hpp"

#include "app/cli/help_texts.hpp"
#include "app/cli/option_helpers.hpp"
#include "app/cli/quantities.hpp"

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
    ps_verb_ = add_verb(app_, "ps", "List executions, newest first", help::ps());
    add_client(ps_verb_, ps_.client);
    ps_verb_->add_flag("--all,-a", ps_.all, "ended ones too");
    ps_verb_->add_option("--status", ps_.status, "only these")
        ->check(CLI::IsMember({"queued", "running", "success", "failed", "timeout", "cancelled", "interrupted"}));
    ps_verb_->add_option("--label", ps_.label, "only those with this label")->option_text("NAME=VALUE");
    ps_verb_->add_option("--limit,-n", ps_.limit, "at most so many")->check(CLI::Range(1, 10'000))->capture_default_str();
}

void verb_parsers::add_one_execution()
{
    const auto add_id = [](CLI::App* verb, std::string& id) {
        verb->add_option("ID", id, "the execution")->required()->check(execution_id_check());
    };

    show_verb_ = add_verb(app_, "show", "Show the record of an execution", help::show());
    add_client(show_verb_, show_.client);
    add_id(show_verb_, show_.id);

    logs_verb_ = add_verb(app_, "logs", "Print what an execution wrote", help::logs());
    add_client(logs_verb_, logs_.client);
    logs_verb_->add_flag("--follow,-f", logs_.follow, "go on until it ends");
    logs_verb_->add_option("--stream", logs_.stream, "only this one")->check(CLI::IsMember({"stdout", "stderr"}));
    add_id(logs_verb_, logs_.id);

    cancel_verb_ = add_verb(app_, "cancel", "End an execution", help::cancel());
    add_client(cancel_verb_, cancel_.client);
    add_id(cancel_verb_, cancel_.id);

    rm_verb_ = add_verb(app_, "rm", "Remove records and output of ended executions", help::rm());
    add_client(rm_verb_, rm_.client);
    rm_verb_->add_option("ID", rm_.ids, "the executions")->required()->check(execution_id_check());
}

void verb_parsers::add_keys()
{
    auto* const key = add_verb(app_, "key", "Make, list and revoke API keys", help::key(defaults_.data_dir));
    key->require_subcommand(1);

    key_create_verb_ = add_verb(*key, "create", "Make a key and print it once", help::key_create());
    add_local(key_create_verb_, key_create_.client, "data directory");
    key_create_verb_->add_option("--tenant", key_create_.tenant, "whose key it is; made if there is no such tenant")->required();
    key_create_verb_->add_option("--scope", key_create_.scopes, "what it may do: run, read, admin; default run and read")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"run", "read", "admin"}));
    add_parsed(key_create_verb_, "--expires", key_create_.expires_in_ms, parse_duration_ms, "a time such as 30d or 12h",
        "end of validity from now; default never")
        ->option_text("TIME");

    key_list_verb_ = add_verb(*key, "ls", "List keys", help::key_list());
    add_local(key_list_verb_, key_list_.client, "data directory");
    key_list_verb_->add_option("--tenant", key_list_.tenant, "only this tenant's");

    key_revoke_verb_ = add_verb(*key, "revoke", "End a key", help::key_revoke());
    add_local(key_revoke_verb_, key_revoke_.client, "data directory");
    key_revoke_verb_->add_option("ID", key_revoke_.id, "the key (key_…)")->required();
}

command verb_parsers::chosen()
{
    if (*serve_verb_)
        return chosen_serve();
    if (*run_verb_)
        return chosen_run();
    if (*ps_verb_)
        return ps_;
    if (*show_verb_)
        return show_;
    if (*logs_verb_)
        return logs_;
    if (*cancel_verb_)
        return cancel_;
    if (*rm_verb_)
        return rm_;
    if (*key_create_verb_)
        return key_create_;
    if (*key_list_verb_)
        return key_list_;
    if (*key_revoke_verb_)
        return key_revoke_;
    if (*doctor_verb_)
        return chosen_doctor();
    if (auto one = chosen_skill())
        return std::move(*one);
    if (auto one = chosen_image())
        return std::move(*one);
    if (auto one = chosen_thread())
        return std::move(*one);
    if (auto one = chosen_storage())
        return std::move(*one);
    return version_options{};
}

}    // namespace caisson::cli
