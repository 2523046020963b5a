#include "app/cli/run_request.hpp"

#include "core/base/base64.hpp"
#include "core/base/utf8.hpp"

#include <boost/json/array.hpp>

#include <unistd.h>

namespace caisson::cli {

namespace {

boost::json::array array_of(const std::vector<std::string>& texts) { return boost::json::array(texts.begin(), texts.end()); }

boost::json::value content_of(std::string bytes)
{
    if (is_utf8(bytes))
        return boost::json::string(bytes);
    return boost::json::object{{"base64", base64_encode(bytes)}};
}

bool is_executable(const std::filesystem::path& file)
{
    std::error_code failure;
    const auto bits = std::filesystem::status(file, failure).permissions();
    return !failure && (bits & std::filesystem::perms::owner_exec) != std::filesystem::perms::none;
}

boost::json::value file_of(std::string bytes, bool is_executable)
{
    auto content = content_of(std::move(bytes));
    if (!is_executable)
        return content;
    if (content.is_string())
        return boost::json::object{{"text", std::move(content)}, {"mode", "0755"}};
    content.get_object()["mode"] = "0755";
    return content;
}

bool is_plain_name(std::string_view name)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    };
    return !name.starts_with('.') && !name.starts_with('-') && std::ranges::all_of(name, plain);
}

void put_program(boost::json::object& body, const run_options& options, std::string program)
{
    if (options.shell)
        body["shell"] = *options.shell;
    else if (!options.command.empty())
        body["command"] = array_of(options.command);
    else {
        body["language"] = options.language;
        body["code"] = options.code ? *options.code : std::move(program);
        if (options.file && is_plain_name(options.file->filename().string()))
            body["entry"] = options.file->filename().string();    // the interpreter's messages then name it
    }
    if (!options.args.empty())
        body["args"] = array_of(options.args);
}

void put_compiler(boost::json::object& body, const run_options& options)
{
    boost::json::object compiler;
    if (!options.standard.empty())
        compiler["std"] = options.standard;
    if (!options.compiler_flags.empty())
        compiler["flags"] = array_of(options.compiler_flags);
    if (!compiler.empty())
        body["compiler"] = std::move(compiler);
}

void put_limits(boost::json::object& body, const run_options& options)
{
    boost::json::object limits;
    if (options.wall_ms)
        limits["wall_ms"] = *options.wall_ms;
    if (options.memory_bytes)
        limits["memory_bytes"] = *options.memory_bytes;
    if (options.stack_bytes)
        limits["stack_bytes"] = *options.stack_bytes;
    if (options.cpus)
        limits["cpus"] = *options.cpus;
    if (!limits.empty())
        body["limits"] = std::move(limits);
}

}    // namespace

boost::json::object object_of(const named_texts& pairs)
{
    boost::json::object object;
    for (const auto& [name, value] : pairs)
        object[name] = value;
    return object;
}

result<run_inputs> read_inputs(const run_options& options)
{
    run_inputs inputs;
    if (options.file || options.program_from_stdin) {
        auto program = options.file ? read_whole(options.file->string(), max_upload_bytes)
                                    : read_whole(STDIN_FILENO, "the program on standard input", max_upload_bytes);
        if (program.has_error())
            return program.error();
        inputs.program = std::move(*program);
        if (!is_utf8(inputs.program))
            return error{errc::bad_request, "the program is not UTF-8 text; send it with --file and run it with a command after --"};
    }
    for (const auto& each : options.files) {
        auto content = read_whole(each.from.string(), max_upload_bytes);
        if (content.has_error())
            return content.error();
        inputs.files.push_back({each.as, std::move(*content), is_executable(each.from)});
    }
    if (options.pty)
        inputs.window = window_of(STDOUT_FILENO);
    return inputs;
}

boost::json::object run_request(const run_options& options, run_inputs inputs)
{
    boost::json::object body;
    put_program(body, options, std::move(inputs.program));
    put_compiler(body, options);
    if (!inputs.files.empty()) {
        auto& files = body["files"].emplace_object();
        for (auto& each : inputs.files)
            files[each.name] = file_of(std::move(each.content), each.is_executable);
    }
    if (!options.env.empty())
        body["env"] = object_of(options.env);
    if (!options.labels.empty())
        body["labels"] = object_of(options.labels);
    if (!options.collect.empty())
        body["collect"] = array_of(options.collect);
    if (!options.cwd.empty())
        body["cwd"] = options.cwd;
    if (!options.runtime.empty())
        body["runtime"] = options.runtime;
    if (!options.image.empty())
        body["image"] = options.image;
    if (!options.network.empty())
        body["network"] = {{"mode", options.network}};
    put_limits(body, options);
    if (options.pty) {
        const auto window = inputs.window.value_or(window_size());
        body["pty"] = {{"cols", window.cols}, {"rows", window.rows}};
    }
    if (options.forward_stdin || options.pty)
        body["stdin_open"] = true;
    body["wait"] = false;
    return body;
}

}    // namespace caisson::cli
