#pragma once

#include "app/cli/cli.hpp"
#include "app/cli/command_line.hpp"
#include "core/base/error.hpp"

#include <boost/json/value.hpp>

#include <map>
#include <string>

namespace caisson::cli {

/// Facts about this process for all verbs.
struct verb_context {
    std::map<std::string, std::string> environment;
    host_facts host;
    bool colours = false;       // standard output takes colours
    std::size_t columns = 0;    // width of standard output's terminal; 0: it is none
    const server_hooks* hooks = nullptr;
};

// Each verb writes results to standard output and mistakes as one sentence to standard error; returns the exit status.
int run_verb(const serve_options& options, const verb_context& context);
int run_verb(const run_options& options, const verb_context& context);
int run_verb(const ps_options& options, const verb_context& context);
int run_verb(const show_options& options, const verb_context& context);
int run_verb(const logs_options& options, const verb_context& context);
int run_verb(const cancel_options& options, const verb_context& context);
int run_verb(const rm_options& options, const verb_context& context);
int run_verb(const skill_new_options& options, const verb_context& context);
int run_verb(const skill_lint_options& options, const verb_context& context);
int run_verb(const skill_pack_options& options, const verb_context& context);
int run_verb(const skill_push_options& options, const verb_context& context);
int run_verb(const skill_list_options& options, const verb_context& context);
int run_verb(const skill_show_options& options, const verb_context& context);
int run_verb(const skill_remove_options& options, const verb_context& context);
int run_verb(const skill_run_options& options, const verb_context& context);
int run_verb(const artifact_list_options& options, const verb_context& context);
int run_verb(const artifact_get_options& options, const verb_context& context);
int run_verb(const image_list_options& options, const verb_context& context);
int run_verb(const image_pull_options& options, const verb_context& context);
int run_verb(const image_build_options& options, const verb_context& context);
int run_verb(const image_allow_options& options, const verb_context& context);
int run_verb(const image_remove_options& options, const verb_context& context);
int run_verb(const thread_list_options& options, const verb_context& context);
int run_verb(const thread_log_options& options, const verb_context& context);
int run_verb(const thread_show_options& options, const verb_context& context);
int run_verb(const thread_diff_options& options, const verb_context& context);
int run_verb(const thread_rollback_options& options, const verb_context& context);
int run_verb(const thread_branch_options& options, const verb_context& context);
int run_verb(const thread_remove_options& options, const verb_context& context);
int run_verb(const thread_export_options& options, const verb_context& context);
int run_verb(const thread_import_options& options, const verb_context& context);
int run_verb(const key_create_options& options, const verb_context& context);
int run_verb(const key_list_options& options, const verb_context& context);
int run_verb(const key_revoke_options& options, const verb_context& context);
int run_verb(const doctor_options& options, const verb_context& context);
int run_verb(const db_check_options& options, const verb_context& context);
int run_verb(const backup_options& options, const verb_context& context);
int run_verb(const restore_options& options, const verb_context& context);
int run_verb(const version_options& options, const verb_context& context);

/// Writes to standard output; ignores errors.
void print(std::string_view text);
void print_json(const boost::json::value& value);

/// Writes one line to standard error that begins with "caisson: ".
void complain(std::string_view sentence);
/// The same for an error, with its fields one a line; returns `status`.
int complain(const error& what, int status);

}    // namespace caisson::cli
