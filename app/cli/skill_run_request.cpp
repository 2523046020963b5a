#include "app/cli/skill_run_request.hpp"

#include "app/cli/run_request.hpp"
#include "app/cli/terminal.hpp"
#include "core/languages/json_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

namespace caisson::cli {

namespace {

boost::json::object limits_of(const skill_run_options& options)
{
    boost::json::object limits;
    if (options.wall_ms)
        limits["wall_ms"] = *options.wall_ms;
    if (options.memory_bytes)
        limits["memory_bytes"] = *options.memory_bytes;
    if (options.cpus)
        limits["cpus"] = *options.cpus;
    return limits;
}

}    // namespace

result<std::string> read_skill_input(const skill_run_options& options)
{
    const auto from_stdin = options.input == "-" || (options.input_file && *options.input_file == "-");
    auto text = options.input.value_or("{}");
    if (from_stdin || options.input_file) {
        auto content = from_stdin ? read_whole(STDIN_FILENO, "the input on standard input", max_upload_bytes)
                                  : read_whole(options.input_file->string(), max_upload_bytes);
        if (content.has_error())
            return content.error();
        text = std::move(*content);
    }
    if (const auto wrong = json_problem(text); !wrong.empty())
        return error{errc::bad_request, "the input is not JSON: " + wrong};
    return text;
}

std::string skill_run_request(const skill_run_options& options, const std::string& input)
{
    boost::json::object body{{"skill", options.skill.name}};
    if (!options.skill.version.empty())
        body["version"] = options.skill.version;
    if (!options.command.empty()) {
        auto& command = body["command"].emplace_array();
        for (const auto& each : options.command)
            command.emplace_back(each);
    }
    if (!options.env.empty())
        body["env"] = object_of(options.env);
    if (!options.labels.empty())
        body["labels"] = object_of(options.labels);
    if (auto limits = limits_of(options); !limits.empty())
        body["limits"] = std::move(limits);
    if (options.attempts)
        body["retry"] = {{"attempts", *options.attempts}};
    if (!options.runtime.empty())
        body["runtime"] = options.runtime;
    body["wait"] = false;
    return "{\"input\":" + input + "," + boost::json::serialize(body).substr(1);
}

}    // namespace caisson::cli
