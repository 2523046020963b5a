#include "app/cli/help_texts.hpp"
#include "app/cli/languages.hpp"
#include "app/cli/option_helpers.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/verb_parsers.hpp"

namespace caisson::cli {

namespace {

[[noreturn]] void refuse(const std::string& message) { throw CLI::ValidationError("run", message); }

/// Takes the program's file, or standard input for "-", its language and its arguments.
void take_file(run_options& options, const std::vector<std::string>& operands)
{
    options.args.assign(operands.begin() + 1, operands.end());
    if (operands.front() == "-") {
        options.program_from_stdin = true;
        return;
    }
    options.file = operands.front();
    if (options.language.empty())
        options.language = language_of_file(*options.file);
    if (options.language.empty())
        refuse("the language of \"" + operands.front() + "\" cannot be told from its name; say it with -l, or put a command after --");
}

void take_program(run_options& options, const operand_split& split, bool stdin_is_terminal)
{
    if (options.code && options.shell)
        refuse("-c and --shell exclude each other");
    if (options.code || options.shell)
        options.args = split.operands;
    else if (split.after_dashes)
        options.command = split.operands;
    else if (!split.operands.empty())
        take_file(options, split.operands);
    else if (!options.language.empty() && !stdin_is_terminal)
        options.program_from_stdin = true;
    else
        refuse("nothing to run: give a FILE, -c CODE, --shell LINE, or -- COMMAND");
}

void check_program(const run_options& options, bool after_dashes)
{
    if ((options.code || options.program_from_stdin) && options.language.empty())
        refuse("say the language with -l");
    if (after_dashes && options.command.empty() && !options.code && !options.shell)
        refuse("there is no command after --");
    if (!options.language.empty() && (options.shell || !options.command.empty()))
        refuse("-l is for a FILE or -c; a command has no language");
    if ((!options.standard.empty() || !options.compiler_flags.empty()) && options.language.empty())
        refuse("--std and --compiler-flag are for a FILE or -c in a language that is compiled");
    if (options.program_from_stdin && options.forward_stdin)
        refuse("standard input cannot be the program and its input; put the program into a file");
    if (options.detach && (options.forward_stdin || options.pty))
        refuse("--detach excludes --stdin and --pty");
}

}    // namespace

std::vector<std::string> verb_parsers::take_operands(const std::vector<std::string>& run_args)
{
    operands_ = split_operands(*run_verb_, run_args);
    return operands_.options;
}

void verb_parsers::add_run()
{
    const auto finish = [this](run_options& given) {
        take_program(given, operands_, defaults_.stdin_is_terminal);
        check_program(given, operands_.after_dashes);
    };
    auto [verb, to] = add<run_options>(app_, "run", "Run a program in a fresh sandbox and show what it writes", help::run(), finish);
    run_verb_ = verb;
    add_client(verb, to.client);
    verb->add_option("--language,-l", to.language, "python, c, go, …, or an alias such as py: see GET /v1/languages");
    verb->add_option("--code,-c", to.code, "the program itself");
    verb->add_option("--shell", to.shell, "a line for the shell");
    verb->add_option("--std", to.standard, "standard of the compiler's language, such as c++20, f2018 or, of Java, 17")
        ->option_text("STANDARD");
    verb->add_option("--compiler-flag", to.compiler_flags,
            "a flag of the compiler, such as -O3, -Wall, -DNAME=VALUE or -lm; may be repeated; docs/api.md has the lists")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)
        ->option_text("FLAG");
    verb->add_flag("--stdin", to.forward_stdin, "pass standard input on, live");
    add_uploads(verb, "--file", to.files, "put a file into the working directory, executable if it is here; may be repeated")
        ->option_text("PATH[:NAME]");
    add_pairs(verb, "--env,-e", to.env, "set a variable; may be repeated")->option_text("NAME=VALUE");
    add_pairs(verb, "--label", to.labels, "label the execution; may be repeated")->option_text("NAME=VALUE");
    verb->add_option("--collect", to.collect,
            "keep files that match this pattern, relative to the working directory (\"out/**\"); may be repeated; see `caisson artifacts`")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false)
        ->option_text("PATTERN");
    verb->add_option("--cwd", to.cwd, "directory to start in");
    verb->add_option("--runtime", to.runtime, "default: the server's");
    verb->add_option("--image", to.image, "on runtimes with images; default: the server's for the language")->option_text("IMAGE");
    verb->add_flag("--pty", to.pty, "give it a terminal");
    verb->add_flag("--detach,-d", to.detach, "print the execution's id and leave it running");
    verb->add_flag("--stats", to.stats, "at the end say on standard error what it took");
    add_quiet(verb, to.quiet);
    add_run_limits(verb, to);
}

void verb_parsers::add_run_limits(CLI::App* verb, run_options& to)
{
    add_parsed(verb, "--timeout", to.wall_ms, parse_duration_ms, "a time such as 30s or 2m", "end it after this; default 30s")
        ->option_text("TIME");
    add_parsed(verb, "--memory", to.memory_bytes, parse_bytes, "a size such as 512Mi or 1Gi", "default 512Mi")->option_text("SIZE");
    add_parsed(verb, "--stack", to.stack_bytes, parse_bytes, "a size such as 8Mi or 256Mi", "stack of a process; default 8Mi")
        ->option_text("SIZE");
    add_parsed(verb, "--cpus", to.cpus, parse_cpus, "a number of cores such as 0.5", "default 0.5")->option_text("NUMBER");
    verb->add_option("--network", to.network, "none is the default")->check(CLI::IsMember({"none"}));
}

}    // namespace caisson::cli
