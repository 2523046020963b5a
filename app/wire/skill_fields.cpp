#include "app/wire/skill_fields.hpp"

#include "core/exec/skill/skill_program.hpp"
#include "core/languages/json_text.hpp"

#include <algorithm>
#include <array>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t max_skill_name_bytes = 128;
constexpr std::size_t max_version_bytes = 256;

/// Refuses version and input beside another program.
void refuse_alone(object_reader& reader)
{
    constexpr std::array<std::string_view, 4> programs{"command", "shell", "code", "language"};
    const bool other = std::ranges::any_of(programs, [&](auto name) { return reader.has(name); });
    for (auto name : {"version", "input"})
        if (reader.take(name) != nullptr && other)
            reader.problem(name, "needs skill");
}

std::string read_name(object_reader& reader)
{
    auto name = reader.text("skill", max_skill_name_bytes);
    if (name && name->empty())
        reader.problems().add(reader.path_of("skill"), "is required", "'skill' is required");
    return std::move(name).value_or("");
}

void read_skill_input(object_reader& reader, const wire_context& context, execution_spec& spec, std::string_view text)
{
    if (reader.take("input") == nullptr)
        return;
    spec.input = shared_bytes(std::string(json_member(text, "input")));
    if (std::cmp_greater(spec.input.size(), context.max_skill_input_bytes))
        reader.problem("input", "takes " + std::to_string(spec.input.size()) + " bytes as JSON, at most " +
                                    std::to_string(context.max_skill_input_bytes) + " are taken");
    else if (std::cmp_greater(spec.input.size(), spec.limits.disk_bytes))
        reader.problem("input", "takes " + std::to_string(spec.input.size()) + " bytes of disk, limits.disk_bytes is " +
                                    std::to_string(spec.limits.disk_bytes));
}

std::set<std::string> names_of_limits(object_reader& reader)
{
    std::set<std::string> names;
    const auto* value = reader.take("limits");
    if (value != nullptr && value->is_object())
        for (const auto& member : value->get_object())
            names.emplace(member.key());
    return names;
}

/// Makes a directory below /sandbox relative: other runtimes have it elsewhere.
void make_relative(std::string& cwd)
{
    if (cwd == skill_directory)
        cwd.clear();
    else if (cwd.starts_with(std::string(skill_directory) + "/"))
        cwd.erase(0, skill_directory.size() + 1);
}

bool is_taken(std::string_view path)
{
    constexpr std::array<std::string_view, 3> taken{skill_package, "out", "input.json"};
    const auto first = path.substr(0, path.find('/'));
    return std::ranges::find(taken, first) != taken.end();
}

void write_plain_if_any(json_writer& out, std::string_view name, const std::string& value)
{
    if (!value.empty())
        out.key(name).text(value);
}

/// Writes the size of a value that is not loaded.
void write_json(json_writer& out, const std::string& name, const shared_bytes& value, std::uint64_t bytes)
{
    if (!value.empty())
        out.key(name).raw(value.view());
    else if (bytes > 0)
        out.key(name + "_bytes").unsigned_integer(bytes);
}

}    // namespace

std::optional<skill_request> read_skill(object_reader& reader, const wire_context& context, execution_spec& spec, std::string_view text)
{
    if (!reader.has("skill")) {
        refuse_alone(reader);
        return std::nullopt;
    }
    spec.kind = execution_kind::skill;
    skill_request out;
    out.name = read_name(reader);
    out.version = reader.text("version", max_version_bytes).value_or("");
    read_skill_input(reader, context, spec, text);
    out.given_limits = names_of_limits(reader);
    out.gives_retry = reader.has("retry");
    out.gives_idempotent = reader.has("idempotent");
    out.gives_runtime = reader.has("runtime");
    out.gives_cwd = reader.has("cwd");
    out.is_shell = reader.has("shell");
    const bool other_program = reader.has("command") || reader.has("shell");
    (other_program ? out.program : out.args) = std::exchange(spec.argv, {});
    if (reader.has("collect"))
        reader.problem("collect", "cannot be combined with skill: what it writes into out/files/ is kept");
    make_relative(spec.cwd);
    return out;
}

void check_skill_files(const std::vector<named_file>& files, problem_list& problems)
{
    for (const auto& [field, file] : files)
        if (is_taken(file.path))
            problems.add(field, "cannot be given to a skill: scripts, out and input.json are its own");
}

void write_skill(json_writer& out, const execution_row& row)
{
    if (row.kind != execution_kind::skill)
        return;
    write_plain_if_any(out, "skill_name", row.skill_name);
    write_plain_if_any(out, "skill_version", row.skill_version);
    write_plain_if_any(out, "skill_digest", row.skill_digest);
    write_plain_if_any(out, "interpreter", row.interpreter);
}

void write_payload(json_writer& out, const execution_payload& payload)
{
    write_json(out, "input", payload.input, payload.input_bytes);
    write_json(out, "output", payload.output, payload.output_bytes);
}

}    // namespace caisson::wire
