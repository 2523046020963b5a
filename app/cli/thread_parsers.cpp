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
    thread_list_verb_ = add_verb(*thread, "ls", "List threads", help::thread_list());
    add_client(thread_list_verb_, thread_list_.client);
    thread_log_verb_ = add_verb(*thread, "log", "Show a thread's checkpoints as a tree", help::thread_log());
    add_client(thread_log_verb_, thread_log_.client);
    thread_log_verb_->add_option("--limit,-n", thread_log_.limit, "at most so many")->check(CLI::Range(1, 100'000))->capture_default_str();
    add_thread(thread_log_verb_, thread_log_.thread);
    thread_show_verb_ = add_verb(*thread, "show", "Print a state", help::thread_show());
    add_client(thread_show_verb_, thread_show_.client);
    add_thread(thread_show_verb_, thread_show_.thread);
    add_checkpoint(thread_show_verb_, "CHECKPOINT", thread_show_.checkpoint, "default latest");
    thread_diff_verb_ = add_verb(*thread, "diff", "Show what changed between two states", help::thread_diff());
    add_client(thread_diff_verb_, thread_diff_.client);
    add_thread(thread_diff_verb_, thread_diff_.thread);
    add_checkpoint(thread_diff_verb_, "FROM", thread_diff_.from, "a checkpoint")->required();
    add_checkpoint(thread_diff_verb_, "TO", thread_diff_.to, "another; default latest");
    add_thread_changes(thread);
    add_thread_files(thread);
}

void verb_parsers::add_thread_changes(CLI::App* thread)
{
    thread_rollback_verb_ = add_verb(*thread, "rollback", "Go back to a checkpoint", help::thread_rollback());
    add_client(thread_rollback_verb_, thread_rollback_.client);
    thread_rollback_verb_->add_flag("--truncate", thread_rollback_.truncate, "remove what came later");
    add_thread(thread_rollback_verb_, thread_rollback_.thread);
    add_checkpoint(thread_rollback_verb_, "CHECKPOINT", thread_rollback_.checkpoint, "where to")->required();
    thread_branch_verb_ = add_verb(*thread, "branch", "Make a thread of a checkpoint", help::thread_branch());
    add_client(thread_branch_verb_, thread_branch_.client);
    add_checkpoint(thread_branch_verb_, "--at", thread_branch_.checkpoint, "default the newest")->option_text("CHECKPOINT");
    add_thread(thread_branch_verb_, thread_branch_.thread);
    thread_branch_verb_->add_option("NEW", thread_branch_.name, "what the new one is called")->required()->check(thread_check());
    thread_remove_verb_ = add_verb(*thread, "rm", "Remove a thread, or some of its checkpoints", help::thread_remove());
    add_client(thread_remove_verb_, thread_remove_.client);
    add_thread(thread_remove_verb_, thread_remove_.thread);
    thread_remove_verb_->add_option("CHECKPOINT", thread_remove_.checkpoints, "only these")->check(removable_check());
}

void verb_parsers::add_thread_files(CLI::App* thread)
{
    thread_export_verb_ = add_verb(*thread, "export", "Write a thread into a file", help::thread_export());
    add_client(thread_export_verb_, thread_export_.client);
    thread_export_verb_->add_flag("--force", thread_export_.force, "replace the file if it is there");
    add_thread(thread_export_verb_, thread_export_.thread);
    thread_export_verb_->add_option(
        "FILE", thread_export_.target, "default THREAD.ndjson, what is no letter, digit or . _ - ~ percent-encoded; -: standard output");
    thread_import_verb_ = add_verb(*thread, "import", "Make a thread of an exported file", help::thread_import());
    add_client(thread_import_verb_, thread_import_.client);
    add_thread(thread_import_verb_, thread_import_.thread);
    thread_import_verb_->add_option("FILE", thread_import_.source, "what export wrote; -: standard input")->required();
}

std::optional<command> verb_parsers::chosen_thread()
{
    if (*thread_list_verb_)
        return thread_list_;
    if (*thread_log_verb_)
        return thread_log_;
    if (*thread_show_verb_)
        return thread_show_;
    if (*thread_diff_verb_)
        return thread_diff_;
    if (*thread_rollback_verb_)
        return thread_rollback_;
    if (*thread_branch_verb_)
        return thread_branch_;
    if (*thread_remove_verb_)
        return thread_remove_;
    if (*thread_export_verb_)
        return thread_export_;
    if (*thread_import_verb_)
        return thread_import_;
    return std::nullopt;
}

}    // namespace caisson::cli
