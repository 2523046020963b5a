#include "core/exec/skill/skill_runs.hpp"

#include "core/exec/skill/skill_program.hpp"
#include "core/skills/env_rules.hpp"
#include "core/skills/package_rules.hpp"

#include <algorithm>
#include <utility>

namespace caisson {

namespace {

/// Of arguments and variables together, without the contract's own texts.
constexpr std::size_t max_program_bytes = 512 << 10;

/// Of all that a program is started with the kernel takes a quarter of its stack (execve(2)), pointers included.
constexpr std::size_t parts_of_stack = 4;

/// Whose image the scripts of a skill run in that names neither a language nor an image.
constexpr std::string_view language_of_scripts = "python";

using problems = std::vector<field_problem>;

error to_error(problems found)
{
    std::string sentence;
    for (const auto& [field, message] : found) {
        // The reference's sentence names the variable itself.
        const bool whole = message.starts_with("env var ");
        sentence += (sentence.empty() ? "" : "; ") + (whole ? message : field + " " + message);
    }
    return {errc::bad_request, std::move(sentence), std::move(found)};
}

std::string called(const skill_request& asked) { return asked.name + "@" + (asked.version.empty() ? "latest" : asked.version); }

error not_found(const skill_request& asked) { return {errc::not_found, "skill not found: " + called(asked)}; }

error is_disabled(const skill_manifest& manifest)
{
    return {errc::conflict, "skill " + manifest.name + "@" + manifest.version + " is disabled"};
}

void check_variables(const execution_spec& spec, problems& found)
{
    for (const auto& [name, value] : spec.env)
        if (is_refused_env(name))
            found.push_back({"env." + name, "env var \"" + name + "\" is not allowed"});
}

/// A limit as the skill says it, unless the request does.
void take_limit(std::int64_t& into, const std::string& name, const std::optional<std::int64_t>& said, const std::string& as_said,
    const limit_range& range, const skill_request& asked, problems& found)
{
    if (!said || asked.given_limits.contains(name))
        return;
    if (*said < range.min || *said > range.max)
        found.push_back(
            {"limits." + name, "is needed: the skill asks for " + as_said + ", this server gives from " + std::to_string(range.min) +
                                   " to " + std::to_string(range.max) + (name == "cpus" ? " thousandths" : " bytes")});
    into = *said;
}

void take_limits(execution_limits& limits, const skill_manifest& manifest, const execution_limit_ranges& ranges, const skill_request& asked,
    problems& found)
{
    if (!asked.given_limits.contains("wall_ms") && manifest.timeout_ms.value_or(0) > 0)
        limits.wall_ms = std::clamp(*manifest.timeout_ms, ranges.wall_ms.min, ranges.wall_ms.max);
    take_limit(limits.memory_bytes, "memory_bytes", manifest.memory_bytes, manifest.memory_text, ranges.memory_bytes, asked, found);
    take_limit(limits.cpu_milli, "cpus", manifest.cpu_milli, manifest.cpu_text, ranges.cpu_milli, asked, found);
    if (!asked.given_limits.contains("cpu_ms")) {
        const auto follows = ranges.cpu_ms.def != 0 ? ranges.cpu_ms.def : limits.wall_ms * limits.cpu_milli / 1000;
        limits.cpu_ms = std::clamp(follows, ranges.cpu_ms.min, ranges.cpu_ms.max);
    }
}

void take_runtime(execution_spec& spec, const skill_manifest& manifest, const std::vector<std::string>& enabled, const skill_request& asked,
    problems& found)
{
    if (manifest.runtime.empty() || asked.gives_runtime)
        return;
    if (std::ranges::find(enabled, manifest.runtime) == enabled.end())
        found.push_back({"runtime", "is needed: the skill asks for " + manifest.runtime + ", which is not enabled on this server"});
    spec.runtime = manifest.runtime;
}

/// A path of the package as its program sees it.
std::string in_package(std::string_view file)
{
    if (file.starts_with("./"))
        file.remove_prefix(2);
    return std::string(skill_directory) + "/" + std::string(skill_package) + "/" + std::string(file);
}

/// [interpreter, file, args…]; the skill's own command, or the request's, which are run in the package.
void take_program(execution_spec& spec, const skill_manifest& manifest, skill_request asked, problems& found)
{
    auto& argv = spec.argv;
    argv.clear();
    if (!asked.runs_own_program()) {
        argv = std::move(asked.program);
        if (asked.is_shell && has_images(spec.runtime) && !argv.empty())    // the skill may name another runtime than the request's
            argv.front() = "sh";
        if (!asked.gives_cwd)
            spec.cwd = skill_package;
    } else if (manifest.command.empty()) {
        argv.push_back(spec.skill->interpreter);
        const auto between = interpreter_arguments(manifest.lang);
        argv.insert(argv.end(), between.begin(), between.end());
        argv.push_back(in_package(manifest.entrypoint));
    } else {
        argv = manifest.command;
        if (argv.front().find('/') != std::string::npos && !argv.front().starts_with('/'))
            argv.front() = in_package(argv.front());
        if (!spec.cwd.empty())
            found.push_back({"cwd", "cannot be chosen: this skill's command is run in its package"});
        spec.cwd = skill_package;
    }
    argv.insert(argv.end(), std::make_move_iterator(asked.args.begin()), std::make_move_iterator(asked.args.end()));
    spec.env.insert(manifest.env.begin(), manifest.env.end());    // behind the request's
    std::size_t bytes = 0;
    for (const auto& argument : argv)
        bytes += argument.size() + 1;
    for (const auto& [name, value] : spec.env)
        bytes += name.size() + value.size() + 2;
    constexpr std::size_t of_contract = 2 * max_skill_variable_bytes + 4'096;    // SANDBOX_INPUT, SKILL_INSTRUCTIONS and small ones
    const auto at_start = bytes + of_contract + (argv.size() + spec.env.size() + 32) * sizeof(char*);
    if (std::cmp_less(spec.limits.stack_bytes, at_start * parts_of_stack))
        found.push_back({"limits.stack_bytes", "must be at least " + std::to_string(at_start * parts_of_stack) +
                                                   ": what the program is started with may take a quarter of its stack"});
    if (bytes > max_program_bytes)
        found.push_back({"args", "and env take " + std::to_string(bytes) + " bytes with the skill's own, at most " +
                                     std::to_string(max_program_bytes) + " are possible"});
}

void take_policy(execution_spec& spec, const skill_manifest& manifest, const skill_request& asked, problems& found)
{
    const bool own = asked.runs_own_program();
    if (manifest.retry && own && !asked.gives_retry)
        spec.retry = *manifest.retry;
    if (own && !asked.gives_idempotent)
        spec.idempotent = manifest.idempotent;
    const bool repeats_lost = std::ranges::count(spec.retry.faults, attempt_fault::agent_lost) > 0;
    if (asked.gives_retry && repeats_lost && !spec.idempotent)
        found.push_back({"retry", std::string("may name agent_lost in \"on\" with \"idempotent\": true only") +
                                      (own ? ", which the skill does not say of itself" : "")});
}

void take_collect(execution_spec& spec, const std::vector<std::string>& patterns, std::int64_t max_output_bytes)
{
    auto wanted = skill_collect(patterns);
    spec.collect.patterns = std::move(wanted.patterns);
    spec.collect.strip = std::move(wanted.strip);
    spec.collect.output = std::move(wanted.output);
    spec.collect.max_output_bytes = max_output_bytes;
}

skill_run run_of(const skill_revision& revision)
{
    skill_run out;
    out.name = revision.manifest.name;
    out.version = revision.manifest.version;
    out.digest = revision.digest;
    out.instructions = revision.manifest.instructions;
    return out;
}

}    // namespace

execution_limit_ranges skill_limits(const server_config& config)
{
    auto ranges = config.limits;
    const auto& skills = config.skills;
    ranges.wall_ms.max = std::clamp(skills.max_wall_ms, ranges.wall_ms.min, ranges.wall_ms.max);
    ranges.wall_ms.def = std::clamp(skills.default_wall_ms, ranges.wall_ms.min, ranges.wall_ms.max);
    ranges.memory_bytes.def = std::clamp(skills.default_memory_bytes, ranges.memory_bytes.min, ranges.memory_bytes.max);
    return ranges;
}

skill_run_options skill_options_of(const server_config& config)
{
    return {skill_limits(config), config.runtimes, config.skills.max_output_bytes};
}

skill_runs::skill_runs(skill_finder& finder, schema_checker* checks, image_permissions& permissions, skill_run_options options,
    host_images on_host, image_table programs)
    : finder_(finder)
    , checks_(checks)
    , options_(std::move(options))
    , permissions_(permissions)
    , on_host_(std::move(on_host))
    , programs_(std::move(programs))
{
}

task<result<std::string>> skill_runs::image_for(tenant_id tenant, std::string tenant_name, std::string own, std::string lang)
{
    auto image = own.empty() ? std::string(default_image(lang)) : std::move(own);
    const auto checked = co_await permissions_.check(std::move(tenant), std::move(tenant_name), image);
    if (checked.has_error())
        co_return checked.error();
    co_return image;
}

/// What the image means on the runtime. Errors: as host_images::interpreter().
result<void> skill_runs::take_image(execution_spec& spec, const skill_manifest& manifest, const std::string& image) const
{
    const auto lang = manifest.command.empty() ? manifest.lang : std::string();
    if (has_images(spec.runtime)) {
        spec.image = image;
        spec.skill->interpreter = programs_.interpreter(image, lang);
        return {};
    }
    auto program = on_host_.interpreter(image, lang);
    if (program.has_error())
        return program.error();
    spec.skill->interpreter = std::move(*program);
    return {};
}

/// A program of the request is in the skill's image too, but needs no interpreter. `spec` and `manifest` outlive the call. Errors: as
/// image_for() and take_image().
task<result<void>> skill_runs::choose_image(
    tenant_id tenant, std::string tenant_name, execution_spec* spec, const skill_manifest* manifest, bool runs_own_program)
{
    if (!runs_own_program && !has_images(spec->runtime))
        co_return result<void>();
    const auto lang = manifest->lang.empty() ? std::string(language_of_scripts) : manifest->lang;
    auto finding = image_for(std::move(tenant), std::move(tenant_name), manifest->image, lang);
    const auto image = co_await std::move(finding);
    if (image.has_error())
        co_return image.error();
    spec->skill->image = *image;
    if (runs_own_program)
        co_return take_image(*spec, *manifest, *image);
    spec->image = *image;
    co_return result<void>();
}

task<result<void>> skill_runs::check_input(tenant_id tenant, std::string schema, shared_bytes input)
{
    if (checks_ == nullptr || schema.empty())
        co_return result<void>();
    if (input.empty())
        input = shared_bytes("{}");
    auto checking = checks_->check(std::move(tenant), schema_checker::asker::request, std::move(schema), std::move(input));
    auto told = co_await std::move(checking);
    if (told.has_error() && told.error().code != errc::bad_request)
        co_return told.error();
    if (told.has_error())
        co_return error{errc::bad_request, "the skill's inputs schema cannot be used: " + told.error().detail};
    for (auto& each : *told)
        each.field.insert(0, "input");
    if (!told->empty())
        co_return to_error(std::move(*told));
    co_return result<void>();
}

task<result<execution_spec>> skill_runs::prepare(tenant_id tenant, std::string tenant_name, execution_spec spec, skill_request asked)
{
    auto revision = co_await finder_.find(tenant, asked.name, asked.version);
    if (revision.has_error())
        co_return revision.error().code == errc::not_found ? not_found(asked) : revision.error();
    const auto& manifest = revision->manifest;
    if (revision->disabled)
        co_return is_disabled(manifest);
    problems found;
    const bool own = asked.runs_own_program();
    auto matching = check_input(tenant, own ? manifest.input_schema : std::string(), spec.input);
    const auto matched = co_await std::move(matching);
    if (matched.has_error())
        found = matched.error().fields;
    if (matched.has_error() && found.empty())
        co_return matched.error();
    if (own && manifest.entrypoint.empty() && manifest.command.empty())
        found.push_back({"skill", "has no program to run, its mode is cognitive: give a command or shell, which is run in its package"});
    check_variables(spec, found);
    take_limits(spec.limits, manifest, options_.limits, asked, found);
    take_runtime(spec, manifest, options_.runtimes, asked, found);
    spec.skill = run_of(*revision);
    if (own)
        spec.skill->output_schema = manifest.output_schema;
    auto choosing = choose_image(std::move(tenant), std::move(tenant_name), &spec, &manifest, own);
    const auto chosen = co_await std::move(choosing);
    if (found.empty() && chosen.has_error())
        co_return chosen.error();
    take_policy(spec, manifest, asked, found);
    take_collect(spec, own ? manifest.artifacts : std::vector<std::string>(), options_.max_output_bytes);
    take_program(spec, manifest, std::move(asked), found);
    if (!found.empty())
        co_return to_error(std::move(found));
    co_return spec;
}

}    // namespace caisson
