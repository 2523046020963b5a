#include "app/cli/cli.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/verbs.hpp"

#include <unistd.h>

#include <csignal>
#include <exception>

namespace caisson::cli {

int run_cli(const std::vector<std::string>& args, const server_hooks& hooks)
try {
    std::signal(SIGPIPE, SIG_IGN);    // a closed pipe is a write error here
    verb_context context{this_environment(), this_host(), false, 0, &hooks};
    context.colours = wants_colours(STDOUT_FILENO, context.environment);
    if (const auto window = window_of(STDOUT_FILENO))
        context.columns = static_cast<std::size_t>(window->cols);
    const parse_context facts{context.environment, context.host, ::isatty(STDIN_FILENO) == 1};
    const auto parsed = parse_command_line(args, facts);
    if (!parsed.command) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == exit_status::ok ? stdout : stderr);
        return parsed.exit_status;
    }
    return std::visit([&context](const auto& options) { return run_verb(options, context); }, *parsed.command);
} catch (const std::exception& failure) {
    complain(failure.what());
    return runs_a_program(args) ? exit_status::infrastructure : exit_status::failed;
}

}    // namespace caisson::cli
