#include "app/cli/help_texts.hpp"
#include "app/cli/option_helpers.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/verb_parsers.hpp"

#include <algorithm>
#include <charconv>

namespace caisson::cli {

namespace {

constexpr int most_attempts = 10;

/// Parses "word-counter", "word-counter@1.0.0", "word-counter@sha256:…"; empty if a part is empty or there is a slash.
std::optional<skill_name> parse_skill_name(const std::string& text)
{
    const auto at = text.find('@');
    skill_name out{text.substr(0, at), at == std::string::npos ? std::string() : text.substr(at + 1)};
    const bool empty = out.name.empty() || (at != std::string::npos && out.version.empty());
    return empty || text.find('/') != std::string::npos ? std::nullopt : std::optional(std::move(out));
}

void add_name(CLI::App* verb, skill_name& to)
{
    add_parsed(verb, "SKILL", to, parse_skill_name, "the name of a skill, such as word-counter or word-counter@1.0.0", "NAME[@VERSION]")
        ->required();
}

std::optional<int> parse_attempts(const std::string& text)
{
    int value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = failed == std::errc() && end == text.data() + text.size();
    return whole && value >= 1 && value <= most_attempts ? std::optional(value) : std::nullopt;
}

void check_removal(const skill_remove_options& given)
{
    if (given.all != given.skill.version.empty())
        throw CLI::ValidationError("skill rm", "give a version to remove (NAME@VERSION), or --all with the name alone");
}

void check_run(const skill_run_options& given)
{
    if (given.detach && given.download)
        throw CLI::ValidationError("skill run", "--detach excludes --download; `caisson artifacts get` fetches files later");
}

void name_target(artifact_get_options& given)
{
    if (given.target.empty())
        given.target = given.path.empty() ? given.id : std::filesystem::path(given.path).filename().string();
}

}    // namespace

void verb_parsers::add_skills()
{
    auto* const skill = add_verb(app_, "skill", "Make, upload and run skills", help::skill());
    skill->require_subcommand(1);
    add_skill_files(skill);
    add_skill_registry(skill);
    add_skill_run(skill);
}

void verb_parsers::add_skill_files(CLI::App* skill)
{
    auto [skill_new_verb, skill_new] = add<skill_new_options>(*skill, "new", "Make the folder of a new skill", help::skill_new());
    skill_new_verb->add_option("--lang,-l", skill_new.lang, "its language")
        ->check(CLI::IsMember({"python", "node", "bash"}))
        ->capture_default_str();
    skill_new_verb->add_option("FOLDER", skill_new.folder, "is made; its last part becomes the skill's name")->required();

    auto [skill_lint_verb, skill_lint] =
        add<skill_lint_options>(*skill, "lint", "Say what a server would find wrong, without one", help::skill_lint());
    skill_lint_verb->add_flag("--json", skill_lint.json, "the findings as JSON");
    skill_lint_verb->add_option("SOURCE", skill_lint.source, "a folder with SKILL.md, or a .zip or .tar.gz of one")->required();

    auto [skill_pack_verb, skill_pack] = add<skill_pack_options>(*skill, "pack", "Make the package of a folder", help::skill_pack());
    skill_pack_verb->add_option("--out,-o", skill_pack.target, "the file; default NAME-VERSION.zip here")->option_text("FILE");
    skill_pack_verb->add_flag("--force,-f", skill_pack.force, "replace the file if it is there");
    skill_pack_verb->add_option("FOLDER", skill_pack.source, "with SKILL.md")->required();
}

void verb_parsers::add_skill_registry(CLI::App* skill)
{
    auto [skill_push_verb, skill_push] = add<skill_push_options>(*skill, "push", "Upload a skill", help::skill_push());
    add_client(skill_push_verb, skill_push.client);
    add_json(skill_push_verb, skill_push.client);
    add_quiet(skill_push_verb, skill_push.quiet);
    skill_push_verb->add_option("SOURCE", skill_push.source, "a folder, which is packed, or a package")->required();

    auto [skill_list_verb, skill_list] = add<skill_list_options>(*skill, "ls", "List skills, a version a line", help::skill_list());
    add_client(skill_list_verb, skill_list.client);
    add_json(skill_list_verb, skill_list.client);
    skill_list_verb->add_option("--search,-s", skill_list.text, "only those with this in name or description")->option_text("TEXT");
    skill_list_verb->add_option("NAME", skill_list.name, "only versions of this one");

    auto [skill_show_verb, skill_show] = add<skill_show_options>(*skill, "show", "Show what a skill is and takes", help::skill_show());
    add_client(skill_show_verb, skill_show.client);
    add_json(skill_show_verb, skill_show.client);
    add_name(skill_show_verb, skill_show.skill);

    auto [skill_remove_verb, skill_remove] =
        add<skill_remove_options>(*skill, "rm", "Remove a version of a skill", help::skill_remove(), check_removal);
    add_client(skill_remove_verb, skill_remove.client);
    skill_remove_verb->add_flag("--all", skill_remove.all, "all versions, with all that was ever uploaded of them");
    add_name(skill_remove_verb, skill_remove.skill);
}

std::vector<std::string> verb_parsers::take_skill_command(const std::vector<std::string>& args)
{
    const auto dashes = std::ranges::find(args, "--");
    if (dashes == args.end())
        return args;
    skill_run_->command.assign(dashes + 1, args.end());
    if (skill_run_->command.empty())
        throw CLI::ValidationError("skill run", "there is no command after --");
    return {args.begin(), dashes};
}

void verb_parsers::add_skill_run(CLI::App* skill)
{
    auto [verb, to] = add<skill_run_options>(*skill, "run", "Run a skill and print its output", help::skill_run(), check_run);
    skill_run_ = &to;
    add_client(verb, to.client);
    add_json(verb, to.client);
    auto* const text = verb->add_option("--input,-i", to.input, "the input as JSON; \"-\" reads it from standard input; default {}");
    verb->add_option("--input-file,-f", to.input_file, "the input, in a file")->excludes(text)->option_text("FILE");
    add_pairs(verb, "--env,-e", to.env, "set a variable; may be repeated")->option_text("NAME=VALUE");
    add_pairs(verb, "--label", to.labels, "label the execution; may be repeated")->option_text("NAME=VALUE");
    add_parsed(verb, "--timeout", to.wall_ms, parse_duration_ms, "a time such as 30s or 2m", "end it after this; default the skill's")
        ->option_text("TIME");
    add_parsed(verb, "--memory", to.memory_bytes, parse_bytes, "a size such as 512Mi or 1Gi", "default the skill's")->option_text("SIZE");
    add_parsed(verb, "--cpus", to.cpus, parse_cpus, "a number of cores such as 0.5", "default the skill's")->option_text("NUMBER");
    add_parsed(verb, "--retry", to.attempts, parse_attempts, "a number of attempts from 1 to 10", "attempts at most; default the skill's")
        ->option_text("NUMBER");
    verb->add_option("--runtime", to.runtime, "default: the skill's or the server's");
    verb->add_option("--download,-D", to.download, "put the files that it leaves into this folder")->option_text("DIR");
    verb->add_flag("--force", to.force, "with --download: replace files that are there");
    verb->add_flag("--detach,-d", to.detach, "print the execution's id and leave it running");
    verb->add_flag("--stats", to.stats, "at the end say on standard error what it took");
    add_quiet(verb, to.quiet);
    add_name(verb, to.skill);
}

void verb_parsers::add_artifacts()
{
    auto* const artifacts = add_verb(app_, "artifacts", "List and fetch the files that an execution left", help::artifacts());
    artifacts->require_subcommand(1);
    auto [artifact_list_verb, artifact_list] = add<artifact_list_options>(*artifacts, "ls", "List them", help::artifacts_list());
    add_client(artifact_list_verb, artifact_list.client);
    add_json(artifact_list_verb, artifact_list.client);
    artifact_list_verb->add_option("ID", artifact_list.id, "the execution")->required()->check(execution_id_check());

    auto [artifact_get_verb, artifact_get] =
        add<artifact_get_options>(*artifacts, "get", "Fetch one of them, or all", help::artifacts_get(), name_target);
    add_address(artifact_get_verb, artifact_get.client);
    artifact_get_verb
        ->add_option("--out,-o", artifact_get.target,
            "with PATH the file, \"-\" for standard output; without it the folder. Default: the name of PATH, or the ID")
        ->option_text("TARGET");
    artifact_get_verb->add_flag("--force,-f", artifact_get.force, "replace files that are there");
    add_quiet(artifact_get_verb, artifact_get.quiet);
    artifact_get_verb->add_option("ID", artifact_get.id, "the execution")->required()->check(execution_id_check());
    artifact_get_verb->add_option("PATH", artifact_get.path, "one file, as `caisson artifacts ls` names it; default all");
}

}    // namespace caisson::cli
