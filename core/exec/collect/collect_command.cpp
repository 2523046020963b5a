#include "core/exec/collect/collect_command.hpp"

namespace caisson {

namespace {

/// Of directories, in one run.
constexpr std::uint64_t most_entries = 2'000'000;

std::string number(std::int64_t value) { return std::to_string(value); }

std::vector<std::string> with_collect_options(std::vector<std::string> argv, const collect_spec& spec, const std::string& work_directory)
{
    argv.insert(
        argv.end(), {work_directory, "--max-files", number(spec.max_files), "--max-bytes", number(spec.max_bytes), "--max-file-bytes",
                        number(spec.max_file_bytes), "--max-depth", number(spec.max_depth), "--max-entries", std::to_string(most_entries)});
    if (!spec.output.empty())
        argv.insert(argv.end(), {"--output", spec.output, "--max-output-bytes", number(spec.max_output_bytes)});
    argv.emplace_back("--");
    argv.insert(argv.end(), spec.patterns.begin(), spec.patterns.end());
    return argv;
}

}    // namespace

bool wants_files(const collect_spec& spec) { return !spec.patterns.empty() || !spec.output.empty(); }

std::vector<std::string> collect_command(const collect_spec& spec, const std::string& work_directory)
{
    // The agent's own image, whatever lies at its path: no program of the sandbox can stand in for it.
    return with_collect_options({"/proc/self/exe", "--collect"}, spec, work_directory);
}

std::vector<std::string> collect_at_end_command(const collect_spec& spec, const std::string& work_directory, protocol::exec_number program)
{
    return with_collect_options({"/proc/self/exe", "--collect-at-end", std::to_string(program)}, spec, work_directory);
}

}    // namespace caisson
