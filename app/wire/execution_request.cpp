#include "app/wire/execution_request.hpp"

#include "app/wire/checkpoint_field.hpp"
#include "app/wire/collect_field.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/execution_fields.hpp"
#include "app/wire/image_field.hpp"
#include "app/wire/paths.hpp"
#include "app/wire/retry_field.hpp"
#include "app/wire/skill_fields.hpp"
#include "app/wire/webhook_field.hpp"

#include <algorithm>
#include <array>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 2> later_fields{"sandbox_id", "user"};
constexpr std::int64_t max_priority = 1'000'000;

/// Fields of features that are not built yet. Accepts values that mean "not used".
void read_later_fields(object_reader& reader)
{
    for (auto name : later_fields)
        if (reader.take(name) != nullptr)
            reader.later(name);
    if (reader.integer("priority", -max_priority, max_priority).value_or(0) != 0)
        reader.later_field("priority", "other than 0 is not available in this version");
}

void read_network(object_reader& reader)
{
    const auto* object = reader.object("network");
    if (object == nullptr)
        return;
    object_reader network(*object, reader.path_of("network"), reader.problems());
    const auto mode = network.text("mode", 64);
    if (mode && *mode != "none")
        network.later_field("mode", "other than \"none\" is not available in this version");
    else if (!network.has("mode"))
        network.problem("mode", "is required");
    if (network.take("allow_hosts") != nullptr)
        network.later("allow_hosts");
    network.refuse_unknown();
}

void read_runtime(object_reader& reader, const wire_context& context, execution_spec& spec)
{
    spec.runtime = context.default_runtime;
    const auto name = reader.text("runtime", 64);
    if (!name)
        return;
    if (std::ranges::find(*context.runtimes, *name) != context.runtimes->end()) {
        spec.runtime = *name;
        return;
    }
    std::string enabled;
    for (const auto& runtime : *context.runtimes)
        enabled.append(enabled.empty() ? "" : ", ").append(runtime);
    reader.problem("runtime", "is not enabled on this server; enabled: " + enabled);
}

void read_directory(object_reader& reader, execution_spec& spec)
{
    const auto text = reader.text("cwd", max_path_bytes, 1);
    if (!text)
        return;
    auto [path, problem] = check_directory(*text);
    if (!problem.empty())
        reader.problem("cwd", problem);
    spec.cwd = std::move(path);
}

void read_pty(object_reader& reader, execution_spec& spec)
{
    const auto* object = reader.object("pty");
    if (object == nullptr)
        return;
    object_reader pty(*object, reader.path_of("pty"), reader.problems());
    spec.pty = read_pty_size(pty);
    pty.refuse_unknown();
}

void read_input(object_reader& reader, execution_spec& spec)
{
    spec.stdin_data = shared_bytes(reader.bytes("stdin", max_stdin_bytes).value_or(""));
    spec.stdin_open = reader.boolean("stdin_open").value_or(false);
}

void read_output_action(object_reader& reader, execution_spec& spec)
{
    static constexpr std::array<std::string_view, 2> actions{"truncate", "kill"};
    if (reader.choice("on_output_limit", actions) == 1u)
        spec.output_limit_action = on_output_limit::kill;
}

}    // namespace

parsed_execution read_execution(object_reader& reader, const wire_context& context, std::string_view text)
{
    parsed_execution out;
    auto& spec = out.spec;
    for (auto name : {"skill", "version", "env"})    // the skill runner's contract allows null
        reader.allow_null(name);
    read_later_fields(reader);
    read_network(reader);
    read_runtime(reader, context, spec);
    read_image(reader, context, spec);
    read_directory(reader, spec);
    read_pty(reader, spec);
    read_input(reader, spec);
    read_output_action(reader, spec);
    auto repeating = read_repetition(reader);
    spec.retry = std::move(repeating.policy);
    spec.idempotent = repeating.idempotent;
    spec.collect = read_collect(reader, context.artifacts);
    const auto* skill_limits = context.skill_limits == nullptr ? context.limits : context.skill_limits;
    spec.limits = read_limits(reader, reader.has("skill") ? *skill_limits : *context.limits);
    spec.env = read_env(reader);
    spec.labels = read_labels(reader);
    auto files = read_files(reader);
    read_program(reader, context, spec, files);
    settle_image(reader, context, spec);
    check_argument_size(spec, reader.problems());
    out.skill = read_skill(reader, context, spec, text);
    if (out.skill)
        check_skill_files(files, reader.problems());
    check_files(files, spec.limits, reader.problems());
    for (auto& [field, file] : files)
        spec.files.push_back(std::move(file));
    spec.webhook = read_webhook(reader, context.private_webhooks);
    spec.checkpoint = read_checkpoint(reader, text);
    spec.cancel_on_disconnect = reader.boolean("cancel_on_disconnect").value_or(false);
    out.wait = reader.boolean("wait").value_or(true);
    return out;
}

result<parsed_execution> parse_execution_request(std::string_view body, const wire_context& context)
{
    auto object = parse_json_object(body, with_input_at(1));
    if (!object)
        return object.error();
    problem_list problems;
    object_reader reader(*object, "", problems);
    auto parsed = read_execution(reader, context, body);
    reader.refuse_unknown();
    if (!problems.empty())
        return problems.to_error();
    return parsed;
}

}    // namespace caisson::wire
