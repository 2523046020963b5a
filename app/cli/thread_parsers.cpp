#include "app/cli/help_texts.hpp"
#include "app/cli/option_helpers.hpp"
#include "app/cli/verb_parsers.hpp"
#include "core/threads/rules.hpp"

namespace caisson::cli {

namespace {

/// Refuses invalid thread names before they get into a URL.
CLI::Validator thread_check()
{
    auto check = [](std::string& text) {
        const auto problem = check_thread_name(text);
        return problem ? "\"" + text + "\" " + problem->message : std::string();
    };
    return {check, "", "thread"};
}

CLI::Validator checkpoint_check()
{
    auto check = [](std::string& text) {
        const auto problem = check_checkpoint_id(text);
        return problem ? "\"" + text + "\" " + problem->message : std::string();
    };
    return {check, "", "checkpoint"};
}

/// The same for a checkpoint to remove: "latest" may name another one by then.
CLI::Validator removable_check()
{
    auto check = [](std::string& text) {
        if (text == "latest")
            return std::string("\"latest\" may be another checkpoint by now: name it by its id");
        const auto problem = check_checkpoint_id(text);
        return problem ? "\"" + text + "\" " + problem->message : std::string();
    };
    return {check, "", "checkpoint"};
}

void add_thread(CLI::App* verb, std::string& to) { verb->add_option("THREAD", to, "its name")->required()->check(thread_check()); }

CLI::Option* add_checkpoint(CLI::App* verb, const std::string& name, std::string& to, const std::string& about)
{
    return verb->add_option(name, to, about)->check(checkpoint_check());
}

}    // namespace

void verb_parsers::add_threads()
{
    auto* const thread = add_verb(app_, "thread", "Look at saved states of agents, go back, branch, move them", help::thread());
    thread->require_subcommand(1);
    auto [thread_list_verb, thread_list] = add<thread_list_options>(*thread, "ls", "List threads", help::thread_list());
    add_client(thread_list_verb, thread_list.client);
    auto [thread_log_verb, thread_log] =
        add<thread_log_options>(*thread, "log", "Show a thread's checkpoints as a tree", help::thread_log());
    add_client(thread_log_verb, thread_log.client);
    thread_log_verb->add_option("--limit,-n", thread_log.limit, "at most so many")->check(CLI::Range(1, 100'000))->capture_default_str();
    add_thread(thread_log_verb, thread_log.thread);
    auto [thread_show_verb, thread_show] = add<thread_show_options>(*thread, "show", "Print a state", help::thread_show());
    add_client(thread_show_verb, thread_show.client);
    add_thread(thread_show_verb, thread_show.thread);
    add_checkpoint(thread_show_verb, "CHECKPOINT", thread_show.checkpoint, "default latest");
    auto [thread_diff_verb, thread_diff] =
        add<thread_diff_options>(*thread, "diff", "Show what changed between two states", help::thread_diff());
    add_client(thread_diff_verb, thread_diff.client);
    add_thread(thread_diff_verb, thread_diff.thread);
    add_checkpoint(thread_diff_verb, "FROM", thread_diff.from, "a checkpoint")->required();
    add_checkpoint(thread_diff_verb, "TO", thread_diff.to, "another; default latest");
    add_thread_changes(thread);
    add_thread_files(thread);
}

void verb_parsers::add_thread_changes(CLI::App* thread)
{
    auto [thread_rollback_verb, thread_rollback] =
        add<thread_rollback_options>(*thread, "rollback", "Go back to a checkpoint", help::thread_rollback());
    add_client(thread_rollback_verb, thread_rollback.client);
    thread_rollback_verb->add_flag("--truncate", thread_rollback.truncate, "remove what came later");
    add_thread(thread_rollback_verb, thread_rollback.thread);
    add_checkpoint(thread_rollback_verb, "CHECKPOINT", thread_rollback.checkpoint, "where to")->required();
    auto [thread_branch_verb, thread_branch] =
        add<thread_branch_options>(*thread, "branch", "Make a thread of a checkpoint", help::thread_branch());
    add_client(thread_branch_verb, thread_branch.client);
    add_checkpoint(thread_branch_verb, "--at", thread_branch.checkpoint, "default the newest")->option_text("CHECKPOINT");
    add_thread(thread_branch_verb, thread_branch.thread);
    thread_branch_verb->add_option("NEW", thread_branch.name, "what the new one is called")->required()->check(thread_check());
    auto [thread_remove_verb, thread_remove] =
        add<thread_remove_options>(*thread, "rm", "Remove a thread, or some of its checkpoints", help::thread_remove());
    add_client(thread_remove_verb, thread_remove.client);
    add_thread(thread_remove_verb, thread_remove.thread);
    thread_remove_verb->add_option("CHECKPOINT", thread_remove.checkpoints, "only these")->check(removable_check());
}

void verb_parsers::add_thread_files(CLI::App* thread)
{
    auto [thread_export_verb, thread_export] =
        add<thread_export_options>(*thread, "export", "Write a thread into a file", help::thread_export());
    add_client(thread_export_verb, thread_export.client);
    thread_export_verb->add_flag("--force", thread_export.force, "replace the file if it is there");
    add_thread(thread_export_verb, thread_export.thread);
    thread_export_verb->add_option(
        "FILE", thread_export.target, "default THREAD.ndjson, what is no letter, digit or . _ - ~ percent-encoded; -: standard output");
    auto [thread_import_verb, thread_import] =
        add<thread_import_options>(*thread, "import", "Make a thread of an exported file", help::thread_import());
    add_client(thread_import_verb, thread_import.client);
    add_thread(thread_import_verb, thread_import.thread);
    thread_import_verb->add_option("FILE", thread_import.source, "what export wrote; -: standard input")->required();
}

}    // namespace caisson::cli
