#include "app/cli/exit_status.hpp"

#include <csignal>
#include <cstring>

namespace caisson::cli {

namespace {

std::optional<int> small_number(const boost::json::object& from, std::string_view name)
{
    const auto* value = from.if_contains(name);
    if (value == nullptr || !value->is_int64() || value->get_int64() < 0 || value->get_int64() > 255)
        return std::nullopt;
    return static_cast<int>(value->get_int64());
}

std::string sentence_for(const std::string& verdict)
{
    if (verdict == "wall_limit")
        return "the program was ended at its time limit";
    if (verdict == "cpu_limit")
        return "the program was ended at its CPU time limit";
    if (verdict == "memory_limit")
        return "the program was killed at its memory limit";
    if (verdict == "output_limit")
        return "the program was killed at its output limit";
    if (verdict == "cancelled")
        return "the execution was cancelled";
    if (verdict == "lost")
        return "the sandbox was lost; whether the program ended is not known";
    if (verdict == "runtime_error")
        return "the program could not be run";
    return {};
}

/// The compile stage if it failed, else null.
const boost::json::object* failed_compile(const boost::json::object& end)
{
    const auto* compile = end.if_contains("compile");
    return compile != nullptr && compile->is_object() && text_of(compile->get_object(), "status") != "success" ? &compile->get_object()
                                                                                                               : nullptr;
}

}    // namespace

std::int64_t number_of(const boost::json::object& from, std::string_view name)
{
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

bool is_true(const boost::json::object& from, std::string_view name)
{
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_bool() && value->get_bool();
}

std::string text_of(const boost::json::object& from, std::string_view name)
{
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

int exit_status_of(const boost::json::object& end)
{
    const auto status = text_of(end, "status");
    const auto verdict = text_of(end, "verdict");
    if (status == "timeout")
        return exit_status::timeout;
    if (status == "cancelled")
        return exit_status::cancelled;
    if (status == "interrupted" || verdict == "runtime_error" || verdict == "lost")
        return exit_status::infrastructure;
    if (verdict == "memory_limit" || verdict == "output_limit")
        return exit_status::signal_base + SIGKILL;
    if (const auto code = small_number(end, "exit_code"))
        return *code;
    if (const auto signal = small_number(end, "signal"))
        return exit_status::signal_base + *signal;
    return exit_status::infrastructure;
}

std::string ending_note(const boost::json::object& end)
{
    const auto verdict = text_of(end, "verdict");
    if (verdict.empty() || (verdict == "exited" && failed_compile(end) == nullptr))
        return {};
    // The server's own sentence says more, such as the limit's value.
    if (auto cause = text_of(end, "error"); !cause.empty())
        return cause;
    if (verdict != "signaled")
        return sentence_for(verdict);
    const auto signal = small_number(end, "signal");
    const char* const name = signal ? ::sigabbrev_np(*signal) : nullptr;
    return "the program was ended by signal " + (name != nullptr ? "SIG" + std::string(name) : std::to_string(signal.value_or(0)));
}

std::string compiler_output(const boost::json::object& end)
{
    const auto* compile = failed_compile(end);
    auto text = compile == nullptr ? std::string() : text_of(*compile, "output");
    return text.empty() || text.ends_with('\n') ? text : text + '\n';
}

std::string failure_of(const boost::json::object& end)
{
    if (text_of(end, "status") == "success")
        return {};
    if (auto note = ending_note(end); !note.empty())
        return note;
    if (auto cause = text_of(end, "error"); !cause.empty())
        return cause;
    const auto code = small_number(end, "exit_code");
    return code ? "the program exited with code " + std::to_string(*code) : "the execution ended without saying how";
}

}    // namespace caisson::cli
