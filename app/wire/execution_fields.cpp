#include "app/wire/execution_fields.hpp"

#include "app/wire/file_field.hpp"
#include "core/exec/limits.hpp"

#include <algorithm>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t max_content_bytes = 80 << 20;    // the disk limit is checked later

/// The configured default or `derived`, within the range.
std::int64_t default_of(const limit_range& range, std::int64_t derived)
{
    return std::clamp(range.def != 0 ? range.def : derived, range.min, range.max);
}

bool is_label_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '/' || c == '-';
}

std::string label_key_problem(std::string_view key)
{
    if (key.empty() || key.size() > max_label_key_bytes)
        return "must have a name of 1 to " + std::to_string(max_label_key_bytes) + " characters";
    if (!std::ranges::all_of(key, is_label_character))
        return "must have a name of letters, digits and . _ / -";
    return {};
}

std::string variable_problem(std::string_view name)
{
    if (name.empty())
        return "must not have an empty name";
    if (name.find('=') != std::string_view::npos)
        return "must not have \"=\" in its name";
    if (name.find('\0') != std::string_view::npos)
        return "must not have NUL in its name";
    return {};
}

using name_rule = std::string (*)(std::string_view name);

/// Reads an object of strings; `rule` checks the names.
std::map<std::string, std::string> read_texts(
    object_reader& reader, std::string_view field, std::size_t max_count, std::size_t max_value_bytes, name_rule rule)
{
    std::map<std::string, std::string> out;
    const auto* object = reader.object(field);
    if (object == nullptr)
        return out;
    if (object->size() > max_count) {
        reader.problem(field, "must have at most " + std::to_string(max_count) + " members, not " + std::to_string(object->size()));
        return out;
    }
    for (const auto& [name, value] : *object) {
        const auto path = name.empty() ? reader.path_of(field) : field_path(reader.path_of(field), name);
        if (auto problem = rule(name); !problem.empty())
            reader.problems().add(path, problem);
        else if (auto text = text_of(value, path, max_value_bytes, reader.problems()))
            out.emplace(name, std::move(*text));
    }
    return out;
}

}    // namespace

execution_limits read_limits(object_reader& reader, const execution_limit_ranges& ranges)
{
    execution_limits out;
    for (const auto& field : limit_fields)
        out.*field.value = default_of(ranges.*field.range, 0);
    problem_list& problems = reader.problems();
    const auto* object = reader.object("limits");
    static const json::object nothing;
    object_reader limits(object == nullptr ? nothing : *object, reader.path_of("limits"), problems);
    for (const auto& field : limit_fields) {
        const auto& range = ranges.*field.range;
        const auto given =
            field.name == "cpus" ? limits.thousandths(field.name, range.min, range.max) : limits.integer(field.name, range.min, range.max);
        out.*field.value = given.value_or(out.*field.value);
    }
    limits.refuse_unknown();
    if (!limits.has("cpu_ms"))
        out.cpu_ms = default_of(ranges.cpu_ms, out.wall_ms * out.cpu_milli / 1000);
    if (!limits.has("file_bytes"))
        out.file_bytes = default_of(ranges.file_bytes, out.disk_bytes);
    return out;
}

std::map<std::string, std::string> read_env(object_reader& reader)
{
    return read_texts(reader, "env", max_variables, max_argument_bytes, &variable_problem);
}

std::map<std::string, std::string> read_labels(object_reader& reader)
{
    return read_texts(reader, "labels", max_labels, max_label_value_bytes, &label_key_problem);
}

std::vector<named_file> read_files(object_reader& reader)
{
    std::vector<named_file> out;
    const auto* object = reader.object("files");
    if (object == nullptr)
        return out;
    if (object->size() > max_files) {    // checked before the files
        reader.problem("files", "must hold at most " + std::to_string(max_files) + " files, not " + std::to_string(object->size()));
        return out;
    }
    for (const auto& [name, value] : *object) {
        const auto field = field_path(reader.path_of("files"), name);
        auto [path, problem] = check_file(name);
        if (!problem.empty())
            reader.problems().add(field, problem);
        auto content = read_file_content(value, field, max_content_bytes, reader.problems());
        if (problem.empty() && content)
            out.push_back({field, {std::move(path), shared_bytes(std::move(content->bytes)), content->mode}});
    }
    return out;
}

void check_argument_size(const execution_spec& spec, problem_list& problems)
{
    std::size_t bytes = 0;
    for (const auto& argument : spec.argv)
        bytes += argument.size() + 1;
    for (const auto& [name, value] : spec.env)
        bytes += name.size() + value.size() + 2;
    std::size_t of_compiler = 0;
    for (const auto& argument : spec.compile ? spec.compile->argv : std::vector<std::string>())
        of_compiler += argument.size() + 1;
    if (of_compiler > max_argument_bytes)
        problems.add("files", "have paths of " + std::to_string(of_compiler) + " bytes together, of which the compiler can be given " +
                                  std::to_string(max_argument_bytes));
    if (bytes > max_argument_bytes)
        problems.add(spec.kind == execution_kind::shell ? "shell" : "args",
            "and env take " + std::to_string(bytes) + " bytes together, at most " + std::to_string(max_argument_bytes) +
                " are possible; send what is large as a file or on stdin");
}

}    // namespace caisson::wire
