#include "app/cli/help_texts.hpp"
#include "app/cli/option_helpers.hpp"
#include "app/cli/verb_parsers.hpp"

namespace caisson::cli {

namespace {

constexpr std::string_view process_flag = "--allow-process-runtime-without-isolation";
constexpr std::string_view process_key = "runtimes.process.i_know_this_runs_code_without_isolation";
constexpr std::string_view mock_flag = "--allow-mock-runtime-for-tests";
constexpr std::string_view mock_key = "runtimes.mock.enabled_for_tests";

}    // namespace

void verb_parsers::add_flag_for(
    CLI::App* verb, std::vector<flag_setting>& to, const std::string& flag, const std::string& key, const std::string& about)
{
    verb->add_option_function<std::string>(flag, [&to, flag, key](const std::string& value) { to.push_back({flag, key, value}); }, about);
}

void verb_parsers::add_settings_flags(CLI::App* verb, std::vector<flag_setting>& to)
{
    const auto switch_on = [verb, &to](std::string_view flag, std::string_view key, const std::string& about) {
        const auto set = [&to, flag = std::string(flag), key = std::string(key)] { to.push_back({flag, key, "true"}); };
        verb->add_flag_callback(std::string(flag), set, about);
    };
    add_flag_for(verb, to, "--data", "data_dir", "data directory; default " + defaults_.data_dir);
    switch_on(process_flag, process_key, "DANGER: requests may run programs as this user, with its files and its network");
    switch_on(mock_flag, mock_key, "a scripted runtime that runs nothing");
    const auto set = [&to](const std::vector<std::string>& texts) {
        for (const auto& text : texts) {
            const auto equals = text.find('=');
            if (equals == std::string::npos)
                throw CLI::ValidationError("--set", "\"" + text + "\" is not KEY=VALUE");
            to.push_back({"--set " + text.substr(0, equals), text.substr(0, equals), text.substr(equals + 1)});
        }
    };
    verb->add_option_function<std::vector<std::string>>("--set", set, "any setting, see `caisson serve --show-settings`")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)
        ->option_text("KEY=VALUE");
}

void verb_parsers::add_serve()
{
    auto [serve_verb, serve] =
        add<serve_options>(app_, "serve", "Run the server", help::serve(defaults_.data_dir), [this](serve_options& given) {
            if (!given.config_file && !defaults_.config_file.empty())
                given.config_file = defaults_.config_file;
        });
    serve_verb->add_option("--config", serve.config_file, "TOML file; also CAISSON_CONFIG");
    add_flag_for(serve_verb, serve.flags, "--listen", "listen", "HOST:PORT; default 127.0.0.1:8320, port 0 picks one");
    add_flag_for(serve_verb, serve.flags, "--tls-cert", "http.tls.certificate", "PEM file: the server speaks TLS, with --tls-key");
    add_flag_for(serve_verb, serve.flags, "--tls-key", "http.tls.key", "PEM file, without a passphrase");
    add_flag_for(
        serve_verb, serve.flags, "--ready-file", "ready_file", "written (0600) once connections are accepted: {\"url\":…,\"api_key\":…}");
    add_flag_for(serve_verb, serve.flags, "--on-shutdown", "on_shutdown",
        "keep (default) or end: running sandboxes at SIGTERM; to end many takes as long as they get fewer, at most 10 minutes");
    add_flag_for(serve_verb, serve.flags, "--log-level", "log.level", "debug, info (default), warning or error");
    add_settings_flags(serve_verb, serve.flags);
    serve_verb->add_flag("--show-settings", serve.show_settings, "list every setting and end");
}

void verb_parsers::add_doctor()
{
    auto [doctor_verb, doctor] = add<doctor_options>(
        app_, "doctor", "Say what works on this machine", help::doctor(), [this](doctor_options& given) { complete(given); });
    doctor_verb->add_option("--config", doctor.config_file, "TOML file; also CAISSON_CONFIG");
    doctor_verb->add_option("--url", doctor.client.url, "the server's address")->default_str(defaults_.url);
    add_ca(doctor_verb, doctor.client);
    const std::map<std::string, output_format> formats{{"table", output_format::table}, {"json", output_format::json}};
    doctor_verb->add_option("--output,-o", doctor.client.output, "table or json")
        ->transform(CLI::CheckedTransformer(formats).description(""))
        ->option_text("table|json");
    add_settings_flags(doctor_verb, doctor.flags);
}

/// Fills what the command line left out.
void verb_parsers::complete(doctor_options& given) const
{
    if (!given.config_file && !defaults_.config_file.empty())
        given.config_file = defaults_.config_file;
    if (given.client.url.empty())
        given.client.url = defaults_.url;
    given.client.data_dir = defaults_.data_dir;
    for (const auto& flag : given.flags)
        if (flag.key == "data_dir")
            given.client.data_dir = flag.value;
}

}    // namespace caisson::cli
