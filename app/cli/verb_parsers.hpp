#pragma once

#include "app/cli/command_line.hpp"
#include "app/cli/operands.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
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
    /// A verb, and what gives its parsed options.
    struct declared {
        CLI::App* verb;
        std::function<command()> options;
    };

    /// Declares a verb and returns its options, which live as long as this. `finish` runs in chosen(): it completes the options or throws
    /// CLI::ParseError.
    template <class Options>
    std::pair<CLI::App*, Options&> add(CLI::App& to, const std::string& name, const std::string& about, const std::string& footer,
        std::function<void(Options&)> finish = {})
    {
        auto options = std::make_shared<Options>();
        auto* const verb = add_verb(to, name, about, footer);
        verbs_.push_back({verb, [options, finish] {
                              if (finish)
                                  finish(*options);
                              return command(*options);
                          }});
        return {verb, *options};
    }
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
    static void add_run_limits(CLI::App* verb, run_options& to);
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
    void complete(doctor_options& given) const;
    void add_storage();

    CLI::App& app_;
    defaults defaults_;
    operand_split operands_;    // of `run`
    CLI::App* run_verb_ = nullptr;
    skill_run_options* skill_run_ = nullptr;
    std::vector<declared> verbs_;
};

}    // namespace caisson::cli
