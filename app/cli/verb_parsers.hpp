#pragma once

#include "app/cli/command_line.hpp"
#include "app/cli/operands.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace caisson::cli {

/// Values for options that the command line does not set.
struct defaults {
    std::string url;
    std::string data_dir;
    std::string config_file;
    std::string ca_file;
    bool stdin_is_terminal = false;
};

/// Declares all verbs on an app and collects their options. Its methods throw CLI::ParseError.
class verb_parsers {
public:
    /// `app` must outlive it.
    verb_parsers(CLI::App& app, defaults values);
    verb_parsers(const verb_parsers&) = delete;
    verb_parsers& operator=(const verb_parsers&) = delete;

    /// Keeps the operands of `run` and returns its options. Call before the app parses.
    std::vector<std::string> take_operands(const std::vector<std::string>& run_args);
    /// Keeps the command after "--" of `skill run`, even if it looks like options. Returns the arguments before it.
    std::vector<std::string> take_skill_command(const std::vector<std::string>& args);

    /// The options of the given verb, checked. Call after the app has parsed.
    command chosen();

private:
    CLI::App* add_verb(CLI::App& to, const std::string& name, const std::string& about, const std::string& footer = {});
    void add_data(CLI::App* verb, client_options& to, const std::string& about_data);
    void add_output(CLI::App* verb, client_options& to);
    /// Options for the server's address; without --output.
    void add_address(CLI::App* verb, client_options& to);
    void add_local(CLI::App* verb, client_options& to, const std::string& about_data);
    void add_ca(CLI::App* verb, client_options& to);
    void add_client(CLI::App* verb, client_options& to);
    void add_settings_flags(CLI::App* verb, std::vector<flag_setting>& to);
    void add_flag_for(
        CLI::App* verb, std::vector<flag_setting>& to, const std::string& flag, const std::string& key, const std::string& about);
    void add_serve();
    void add_run();
    void add_run_limits(CLI::App* verb);
    void add_ps();
    void add_one_execution();
    // skill_parsers.cpp
    void add_skills();
    void add_skill_files(CLI::App* skill);
    void add_skill_registry(CLI::App* skill);
    void add_skill_run(CLI::App* skill);
    void add_artifacts();
    // image_parsers.cpp
    void add_images();
    // thread_parsers.cpp
    void add_threads();
    void add_thread_changes(CLI::App* thread);
    void add_thread_files(CLI::App* thread);
    void add_keys();
    void add_doctor();
    void add_storage();

    /// The verbs of add_skills() and add_artifacts(); empty if none was given.
    std::optional<command> chosen_skill();
    artifact_get_options chosen_artifact_get();
    /// The verbs of add_images(); empty if none was given.
    std::optional<command> chosen_image();
    /// The verbs of add_threads(); empty if none was given.
    std::optional<command> chosen_thread();

    serve_options chosen_serve();
    run_options chosen_run();
    doctor_options chosen_doctor();
    /// The verbs of add_storage(); empty if none was given.
    std::optional<command> chosen_storage();

    CLI::App& app_;
    defaults defaults_;
    CLI::App* serve_verb_ = nullptr;
    CLI::App* run_verb_ = nullptr;
    CLI::App* ps_verb_ = nullptr;
    CLI::App* show_verb_ = nullptr;
    CLI::App* logs_verb_ = nullptr;
    CLI::App* cancel_verb_ = nullptr;
    CLI::App* rm_verb_ = nullptr;
    CLI::App* skill_new_verb_ = nullptr;
    CLI::App* skill_lint_verb_ = nullptr;
    CLI::App* skill_pack_verb_ = nullptr;
    CLI::App* skill_push_verb_ = nullptr;
    CLI::App* skill_list_verb_ = nullptr;
    CLI::App* skill_show_verb_ = nullptr;
    CLI::App* skill_remove_verb_ = nullptr;
    CLI::App* skill_run_verb_ = nullptr;
    CLI::App* artifact_list_verb_ = nullptr;
    CLI::App* artifact_get_verb_ = nullptr;
    CLI::App* image_list_verb_ = nullptr;
    CLI::App* image_pull_verb_ = nullptr;
    CLI::App* image_build_verb_ = nullptr;
    CLI::App* image_allow_verb_ = nullptr;
    CLI::App* image_remove_verb_ = nullptr;
    CLI::App* thread_list_verb_ = nullptr;
    CLI::App* thread_log_verb_ = nullptr;
    CLI::App* thread_show_verb_ = nullptr;
    CLI::App* thread_diff_verb_ = nullptr;
    CLI::App* thread_rollback_verb_ = nullptr;
    CLI::App* thread_branch_verb_ = nullptr;
    CLI::App* thread_remove_verb_ = nullptr;
    CLI::App* thread_export_verb_ = nullptr;
    CLI::App* thread_import_verb_ = nullptr;
    CLI::App* key_create_verb_ = nullptr;
    CLI::App* key_list_verb_ = nullptr;
    CLI::App* key_revoke_verb_ = nullptr;
    CLI::App* doctor_verb_ = nullptr;
    CLI::App* db_check_verb_ = nullptr;
    CLI::App* backup_verb_ = nullptr;
    CLI::App* restore_verb_ = nullptr;

    operand_split operands_;
    serve_options serve_;
    run_options run_;
    ps_options ps_;
    show_options show_;
    logs_options logs_;
    cancel_options cancel_;
    rm_options rm_;
    skill_new_options skill_new_;
    skill_lint_options skill_lint_;
    skill_pack_options skill_pack_;
    skill_push_options skill_push_;
    skill_list_options skill_list_;
    skill_show_options skill_show_;
    skill_remove_options skill_remove_;
    skill_run_options skill_run_;
    artifact_list_options artifact_list_;
    artifact_get_options artifact_get_;
    image_list_options image_list_;
    image_pull_options image_pull_;
    image_build_options image_build_;
    image_allow_options image_allow_;
    image_remove_options image_remove_;
    thread_list_options thread_list_;
    thread_log_options thread_log_;
    thread_show_options thread_show_;
    thread_diff_options thread_diff_;
    thread_rollback_options thread_rollback_;
    thread_branch_options thread_branch_;
    thread_remove_options thread_remove_;
    thread_export_options thread_export_;
    thread_import_options thread_import_;
    key_create_options key_create_;
    key_list_options key_list_;
    key_revoke_options key_revoke_;
    doctor_options doctor_;
    db_check_options db_check_;
    backup_options backup_;
    restore_options restore_;
};

}    // namespace caisson::cli
