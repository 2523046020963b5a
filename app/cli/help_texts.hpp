#pragma once

#include <string>

namespace caisson::cli::help {

/// The last part of each verb's --help: examples, exit statuses, variables.
std::string general(const std::string& data_dir);
std::string serve(const std::string& data_dir);
std::string run();
std::string ps();
std::string show();
std::string logs();
std::string cancel();
std::string rm();
std::string key(const std::string& data_dir);
std::string key_create();
std::string key_list();
std::string key_revoke();
std::string doctor();
std::string skill();
std::string skill_new();
std::string skill_lint();
std::string skill_pack();
std::string skill_push();
std::string skill_list();
std::string skill_show();
std::string skill_remove();
std::string skill_run();
std::string artifacts();
std::string artifacts_list();
std::string artifacts_get();
std::string image();
std::string image_list();
std::string image_pull();
std::string image_build();
std::string image_allow();
std::string image_remove();
std::string thread();
std::string thread_list();
std::string thread_log();
std::string thread_show();
std::string thread_diff();
std::string thread_rollback();
std::string thread_branch();
std::string thread_remove();
std::string thread_export();
std::string thread_import();
std::string db_check();
std::string backup();
std::string restore();

}    // namespace caisson::cli::help
