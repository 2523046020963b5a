#include "core/exec/skill/skill_program.hpp"

namespace caisson {

namespace {

constexpr std::string_view output_directory = "out/";
constexpr std::string_view files_directory = "out/files/";
constexpr std::string_view output_file = "out/output.json";
constexpr std::string_view input_name = "input.json";

/// What the program gets where the request gives nothing.
shared_bytes input_of(const execution_spec& spec) { return spec.input.empty() ? shared_bytes("{}") : spec.input; }

bool fits_variable(std::string_view text) { return text.size() <= max_skill_variable_bytes && text.find('\0') == std::string_view::npos; }

}    // namespace

std::vector<input_file> skill_files(const execution_spec& spec)
{
    return {{std::string(output_directory), {}}, {std::string(files_directory), {}}, {std::string(input_name), input_of(spec)}};
}

std::map<std::string, std::string> skill_environment(const execution_spec& spec, const std::string& work)
{
    std::map<std::string, std::string> env{
        {"HOME", std::string(skill_home)},
        {"SANDBOX_OUTPUT", work + "/" + std::string(output_file)},
        {"SANDBOX_FILES_DIR", work + "/" + std::string(files_directory)},
    };
    if (const auto input = input_of(spec); fits_variable(input.view()))
        env["SANDBOX_INPUT"] = input.view();
    if (spec.skill && fits_variable(spec.skill->instructions))
        env["SKILL_INSTRUCTIONS"] = spec.skill->instructions;
    return env;
}

std::vector<std::string> skill_argv(const execution_spec& spec, const std::string& work)
{
    auto argv = spec.argv;
    const auto shown = std::string(skill_directory) + "/" + std::string(skill_package) + "/";
    for (auto& argument : argv)
        if (work != skill_directory && argument.starts_with(shown))
            argument.replace(0, skill_directory.size(), work);
    return argv;
}

collect_spec skill_collect(const std::vector<std::string>& patterns)
{
    collect_spec out;
    for (const auto& pattern : patterns)
        out.patterns.push_back(std::string(files_directory) + pattern);
    if (patterns.empty())
        out.patterns.push_back(std::string(files_directory) + "**");
    out.strip = files_directory;
    out.output = output_file;
    return out;
}

void describe_skill(const execution_spec& spec, execution_row& row)
{
    if (!spec.skill)
        return;
    row.skill_name = spec.skill->name;
    row.skill_version = spec.skill->version;
    row.skill_digest = spec.skill->digest;
    row.image = spec.skill->image;
    row.interpreter = spec.skill->interpreter;
}

}    // namespace caisson
