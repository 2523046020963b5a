#include "core/base/json_bytes.hpp"
#include "core/exec/types.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace caisson {

namespace json = boost::json;

namespace {

template <class Struct, class Member>
using member_table = std::initializer_list<std::pair<std::string_view, Member Struct::*>>;

constexpr member_table<skill_run, std::string> skill_members{
    {"name", &skill_run::name},
    {"version", &skill_run::version},
    {"digest", &skill_run::digest},
    {"image", &skill_run::image},
    {"interpreter", &skill_run::interpreter},
    {"instructions", &skill_run::instructions},
    {"output_schema", &skill_run::output_schema},
};

constexpr member_table<collect_spec, std::int64_t> collect_members{
    {"max_files", &collect_spec::max_files},
    {"max_bytes", &collect_spec::max_bytes},
    {"max_file_bytes", &collect_spec::max_file_bytes},
    {"max_depth", &collect_spec::max_depth},
    {"max_output_bytes", &collect_spec::max_output_bytes},
};

std::string text_from_json(const json::value& value) { return std::string(value.as_string()); }

json::object map_to_json(const std::map<std::string, std::string>& map)
{
    json::object out;
    for (const auto& [name, value] : map)
        out.emplace(name, bytes_to_json(value));
    return out;
}

std::map<std::string, std::string> map_from_json(const json::value& value)
{
    std::map<std::string, std::string> out;
    for (const auto& member : value.as_object())
        out.emplace(member.key(), bytes_from_json(member.value()));
    return out;
}

json::array argv_to_json(const std::vector<std::string>& argv)
{
    json::array out;
    for (const auto& argument : argv)
        out.emplace_back(bytes_to_json(argument));
    return out;
}

constexpr std::size_t most_in_json = 1 << 10;    // where contents may be beside it

void put_beside(const shared_bytes& content, spec_body& beside)
{
    if (content.size() <= most_in_json)
        return;
    beside.parts.push_back(content);
    beside.bytes += content.size();
}

json::value content_to_json(const shared_bytes& content, spec_body* beside)
{
    if (beside == nullptr || content.size() <= most_in_json)
        return bytes_to_json(content.view());
    json::object place{{"beside", beside->bytes}, {"bytes", content.size()}};
    put_beside(content, *beside);
    return place;
}

shared_bytes content_from_json(const json::value& value, const shared_bytes& beside)
{
    const auto* place = value.if_object();
    if (place == nullptr || !place->contains("beside"))
        return shared_bytes(bytes_from_json(value));
    const auto from = place->at("beside").to_number<std::size_t>();
    const auto bytes = place->at("bytes").to_number<std::size_t>();
    if (from > beside.size() || bytes > beside.size() - from)
        throw std::invalid_argument("the body of a kept spec is cut");
    return beside.slice(from, bytes);
}

json::value state_to_json(const std::string& state, spec_body* beside)
{
    return beside == nullptr ? json::value(state) : content_to_json(shared_bytes(state), beside);
}

json::array files_to_json(const std::vector<input_file>& files, spec_body* beside)
{
    json::array out;
    for (const auto& file : files)
        out.emplace_back(json::object{{"path", file.path}, {"content", content_to_json(file.content, beside)}, {"mode", file.mode}});
    return out;
}

std::vector<std::string> argv_from_json(const json::value& value)
{
    std::vector<std::string> out;
    for (const auto& argument : value.as_array())
        out.push_back(bytes_from_json(argument));
    return out;
}

/// Specs of earlier releases have no modes.
input_file file_from_json(const json::object& object, const shared_bytes& beside)
{
    input_file out{text_from_json(object.at("path")), content_from_json(object.at("content"), beside)};
    if (const auto* mode = object.if_contains("mode"))
        out.mode = mode->to_number<std::uint32_t>();
    return out;
}

std::vector<input_file> files_from_json(const json::value& value, const shared_bytes& beside)
{
    std::vector<input_file> out;
    for (const auto& file : value.as_array())
        out.push_back(file_from_json(file.as_object(), beside));
    return out;
}

pty_size pty_from_json(const json::object& object) { return {object.at("cols").to_number<int>(), object.at("rows").to_number<int>()}; }

execution_kind kind_from_json(const json::value& value)
{
    const auto kind = execution_kind_from(value.as_string());
    if (!kind)
        throw std::invalid_argument("a kept spec has an unknown kind");
    return *kind;
}

json::object skill_to_json(const skill_run& skill)
{
    json::object out;
    for (const auto& [name, member] : skill_members)
        out.emplace(name, bytes_to_json(skill.*member));
    return out;
}

skill_run skill_from_json(const json::object& object)
{
    skill_run out;
    for (const auto& [name, member] : skill_members)
        out.*member = bytes_from_json(object.at(name));
    return out;
}

json::object collect_to_json(const collect_spec& collect)
{
    json::object out{
        {"patterns", argv_to_json(collect.patterns)}, {"strip", bytes_to_json(collect.strip)}, {"output", bytes_to_json(collect.output)}};
    for (const auto& [name, member] : collect_members)
        out.emplace(name, collect.*member);
    return out;
}

collect_spec collect_from_json(const json::object& object)
{
    collect_spec out;
    for (const auto& pattern : object.at("patterns").as_array())
        out.patterns.push_back(bytes_from_json(pattern));
    out.strip = bytes_from_json(object.at("strip"));
    out.output = bytes_from_json(object.at("output"));
    for (const auto& [name, member] : collect_members)
        out.*member = object.at(name).to_number<std::int64_t>();
    return out;
}

json::object retry_to_json(const retry_policy& retry)
{
    json::array faults;
    for (const auto fault : retry.faults)
        faults.emplace_back(to_string(fault));
    return {{"attempts", retry.attempts}, {"first_delay_ms", retry.first_delay_ms}, {"multiplier", retry.multiplier},
        {"max_delay_ms", retry.max_delay_ms}, {"faults", std::move(faults)},
        {"exit_codes", json::array(retry.exit_codes.begin(), retry.exit_codes.end())}};
}

retry_policy retry_from_json(const json::object& object)
{
    retry_policy out;
    out.attempts = object.at("attempts").to_number<int>();
    out.first_delay_ms = object.at("first_delay_ms").to_number<std::int64_t>();
    out.multiplier = object.at("multiplier").to_number<double>();
    out.max_delay_ms = object.at("max_delay_ms").to_number<std::int64_t>();
    out.faults.clear();
    for (const auto& name : object.at("faults").as_array()) {
        const auto fault = attempt_fault_from(name.as_string());
        if (!fault)
            throw std::invalid_argument("a kept spec has an unknown fault");
        out.faults.push_back(*fault);
    }
    for (const auto& code : object.at("exit_codes").as_array())
        out.exit_codes.push_back(code.to_number<int>());
    return out;
}

json::object checkpoint_to_json(const checkpoint_order& order, spec_body* beside)
{
    const auto& metadata = order.metadata;
    json::object out{{"thread", order.thread.str()}, {"id", order.id.str()}, {"pinned", order.pinned},
        {"state", state_to_json(order.state, beside)}, {"node_id", metadata.node_id},
        {"tags", json::array(metadata.tags.begin(), metadata.tags.end())}, {"custom", metadata.custom}};
    if (metadata.step)
        out.emplace("step", *metadata.step);
    return out;
}

checkpoint_order checkpoint_from_json(const json::object& object, const shared_bytes& beside)
{
    checkpoint_order out;
    out.thread = thread_name(text_from_json(object.at("thread")));
    out.id = checkpoint_id::from_trusted(text_from_json(object.at("id")));
    out.pinned = object.at("pinned").as_bool();
    out.state = std::string(content_from_json(object.at("state"), beside).view());
    out.metadata.node_id = text_from_json(object.at("node_id"));
    for (const auto& tag : object.at("tags").as_array())
        out.metadata.tags.push_back(text_from_json(tag));
    out.metadata.custom = text_from_json(object.at("custom"));
    if (const auto* step = object.if_contains("step"))
        out.metadata.step = step->to_number<std::int64_t>();
    return out;
}

json::object compile_to_json(const compile_step& step, spec_body* beside)
{
    json::object out{{"argv", argv_to_json(step.argv)}, {"host_argv", argv_to_json(step.host_argv)}, {"env", map_to_json(step.env)},
        {"files", files_to_json(step.files, beside)}, {"wall_ms", step.limits.wall_ms}, {"cpu_ms", step.limits.cpu_ms},
        {"memory_bytes", step.limits.memory_bytes}};
    if (!step.directory.empty())
        out.emplace("directory", step.directory);
    return out;
}

compile_step compile_from_json(const json::object& object, const shared_bytes& beside)
{
    compile_step out;
    out.argv = argv_from_json(object.at("argv"));
    out.host_argv = argv_from_json(object.at("host_argv"));
    if (const auto* directory = object.if_contains("directory"))
        out.directory = text_from_json(*directory);
    out.env = map_from_json(object.at("env"));
    out.files = files_from_json(object.at("files"), beside);
    out.limits.wall_ms = object.at("wall_ms").to_number<std::int64_t>();
    out.limits.cpu_ms = object.at("cpu_ms").to_number<std::int64_t>();
    out.limits.memory_bytes = object.at("memory_bytes").to_number<std::int64_t>();
    return out;
}

/// What is at its default is left out, as it is in specs of earlier releases.
void add_later_members(json::object& out, const execution_spec& spec, spec_body* beside)
{
    if (spec.skill)
        out.emplace("skill", skill_to_json(*spec.skill));
    if (!spec.input.empty())
        out.emplace("input", content_to_json(spec.input, beside));
    if (spec.collect != collect_spec())
        out.emplace("collect", collect_to_json(spec.collect));
    if (spec.retry != retry_policy())
        out.emplace("retry", retry_to_json(spec.retry));
    if (spec.idempotent)
        out.emplace("idempotent", true);
    if (!spec.image.empty())
        out.emplace("image", bytes_to_json(spec.image));
    if (spec.may_fall_back)
        out.emplace("may_fall_back", true);
    if (!spec.host_argv.empty())
        out.emplace("host_argv", argv_to_json(spec.host_argv));
    if (spec.webhook)
        out.emplace("webhook", json::object{{"url", bytes_to_json(spec.webhook->url)}, {"secret", bytes_to_json(spec.webhook->secret)}});
    if (spec.compile)
        out.emplace("compile", compile_to_json(*spec.compile, beside));
    if (spec.checkpoint)
        out.emplace("checkpoint", checkpoint_to_json(*spec.checkpoint, beside));
}

void read_later_members(execution_spec& spec, const json::object& object, const shared_bytes& beside)
{
    if (const auto* skill = object.if_contains("skill"))
        spec.skill = skill_from_json(skill->as_object());
    if (const auto* input = object.if_contains("input"))
        spec.input = content_from_json(*input, beside);
    if (const auto* collect = object.if_contains("collect"))
        spec.collect = collect_from_json(collect->as_object());
    if (const auto* retry = object.if_contains("retry"))
        spec.retry = retry_from_json(retry->as_object());
    if (const auto* idempotent = object.if_contains("idempotent"))
        spec.idempotent = idempotent->as_bool();
    if (const auto* image = object.if_contains("image"))
        spec.image = bytes_from_json(*image);
    if (const auto* may_fall_back = object.if_contains("may_fall_back"))
        spec.may_fall_back = may_fall_back->as_bool();
    if (const auto* argv = object.if_contains("host_argv"))
        spec.host_argv = argv_from_json(*argv);
    if (const auto* compile = object.if_contains("compile"))
        spec.compile = compile_from_json(compile->as_object(), beside);
    if (const auto* webhook = object.if_contains("webhook"))
        spec.webhook = {bytes_from_json(webhook->as_object().at("url")), bytes_from_json(webhook->as_object().at("secret"))};
    if (const auto* checkpoint = object.if_contains("checkpoint"))
        spec.checkpoint = checkpoint_from_json(checkpoint->as_object(), beside);
}

}    // namespace

/// In the order of spec_to_json().
spec_body body_of(const execution_spec& spec)
{
    spec_body out;
    for (const auto& file : spec.files)
        put_beside(file.content, out);
    put_beside(spec.stdin_data, out);
    put_beside(spec.input, out);
    if (spec.compile)
        for (const auto& file : spec.compile->files)
            put_beside(file.content, out);
    if (spec.checkpoint)
        put_beside(shared_bytes(spec.checkpoint->state), out);
    return out;
}

std::string spec_to_json(const execution_spec& spec, spec_body* beside)
{
    json::object out;
    out.emplace("kind", to_string(spec.kind));
    out.emplace("language", spec.language);
    out.emplace("argv", argv_to_json(spec.argv));
    out.emplace("env", map_to_json(spec.env));
    out.emplace("files", files_to_json(spec.files, beside));
    out.emplace("cwd", spec.cwd);
    out.emplace("stdin", content_to_json(spec.stdin_data, beside));
    out.emplace("stdin_open", spec.stdin_open);
    if (spec.pty)
        out.emplace("pty", json::object{{"cols", spec.pty->cols}, {"rows", spec.pty->rows}});
    out.emplace("limits", limits_to_json(spec.limits));
    out.emplace("kill_on_output_limit", spec.output_limit_action == on_output_limit::kill);
    out.emplace("runtime", spec.runtime);
    out.emplace("labels", map_to_json(spec.labels));
    out.emplace("cancel_on_disconnect", spec.cancel_on_disconnect);
    add_later_members(out, spec, beside);
    return json::serialize(out);
}

execution_spec spec_from_json(std::string_view text, const shared_bytes& beside)
{
    const auto value = json::parse(text);
    const auto& object = value.as_object();
    execution_spec spec;
    spec.kind = kind_from_json(object.at("kind"));
    spec.language = text_from_json(object.at("language"));
    spec.argv = argv_from_json(object.at("argv"));
    spec.env = map_from_json(object.at("env"));
    spec.files = files_from_json(object.at("files"), beside);
    spec.cwd = text_from_json(object.at("cwd"));
    spec.stdin_data = content_from_json(object.at("stdin"), beside);
    spec.stdin_open = object.at("stdin_open").as_bool();
    if (const auto* pty = object.if_contains("pty"))
        spec.pty = pty_from_json(pty->as_object());
    spec.limits = limits_from_json(object.at("limits").as_object());
    spec.output_limit_action = object.at("kill_on_output_limit").as_bool() ? on_output_limit::kill : on_output_limit::truncate;
    spec.runtime = text_from_json(object.at("runtime"));
    spec.labels = map_from_json(object.at("labels"));
    spec.cancel_on_disconnect = object.at("cancel_on_disconnect").as_bool();
    read_later_members(spec, object, beside);
    return spec;
}

}    // namespace caisson
