#include "app/cli/command_line.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/verb_parsers.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace caisson::cli {

namespace {

std::string value_or(const std::map<std::string, std::string>& variables, const std::string& name, std::string otherwise)
{
    const auto found = variables.find(name);
    return found == variables.end() || found->second.empty() ? std::move(otherwise) : found->second;
}

defaults defaults_of(const parse_context& context)
{
    defaults values;
    values.ca_file = value_or(context.environment, "CAISSON_CA", "");
    values.url = value_or(context.environment, "CAISSON_URL", std::string(default_url));
    values.data_dir = value_or(context.environment, "CAISSON_DATA_DIR", default_data_dir(context.host, context.environment).string());
    values.config_file = value_or(context.environment, "CAISSON_CONFIG", "");
    values.stdin_is_terminal = context.stdin_is_terminal;
    return values;
}

bool is_run(const std::vector<std::string>& args) { return !args.empty() && args.front() == "run"; }

bool is_skill_run(const std::vector<std::string>& args) { return args.size() > 1 && args[0] == "skill" && args[1] == "run"; }

parse_outcome mistake(const CLI::App& app, const std::string& message, bool of_program)
{
    const auto* verb = &app;
    while (!verb->get_subcommands().empty())
        verb = verb->get_subcommands().front();
    std::string name;
    for (const auto* part = verb; part != nullptr; part = part->get_parent())
        name = part->get_name() + (name.empty() ? "" : " " + name);
    return {
        std::nullopt, "caisson: " + message + "; see " + name + " --help\n", of_program ? exit_status::infrastructure : exit_status::usage};
}

}    // namespace

bool runs_a_program(const std::vector<std::string>& args) { return is_run(args) || is_skill_run(args); }

parse_outcome parse_command_line(const std::vector<std::string>& args, const parse_context& context)
{
    CLI::App app("Runs code in sandboxes, and keeps a record of it.", "caisson");
    verb_parsers verbs(app, defaults_of(context));
    const bool of_run = is_run(args);
    try {
        auto options = of_run               ? verbs.take_operands({args.begin() + 1, args.end()})
                       : is_skill_run(args) ? verbs.take_skill_command(args)
                                            : args;
        if (of_run)
            options.insert(options.begin(), "run");
        std::ranges::reverse(options);    // CLI11 takes the arguments in reverse
        app.parse(std::move(options));
        return {verbs.chosen(), "", exit_status::ok};
    } catch (const CLI::CallForHelp&) {
        return {std::nullopt, app.help(), exit_status::ok};
    } catch (const CLI::CallForVersion&) {
        return {version_options{}, "", exit_status::ok};
    } catch (const CLI::ParseError& failure) {
        return mistake(app, failure.what(), runs_a_program(args));
    }
}

}    // namespace caisson::cli
