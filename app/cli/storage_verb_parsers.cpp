#include "app/cli/help_texts.hpp"
#include "app/cli/verb_parsers.hpp"

namespace caisson::cli {

void verb_parsers::add_storage()
{
    auto* const db = add_verb(app_, "db", "Look at the databases");
    db->require_subcommand(1);
    db_check_verb_ = add_verb(*db, "check", "Check the databases of a data directory", help::db_check());
    db_check_.data_dir = defaults_.data_dir;
    db_check_verb_->add_option("--data", db_check_.data_dir, "data directory; default " + defaults_.data_dir)->option_text("DIR");
    db_check_verb_->add_flag("--json", db_check_.json, "the findings as JSON");
    db_check_verb_->add_flag("--deep", db_check_.deep, "also every byte of files, packages and threads' states");

    backup_verb_ = add_verb(app_, "backup", "Make a backup of a data directory", help::backup());
    backup_.data_dir = defaults_.data_dir;
    backup_verb_->add_option("--data", backup_.data_dir, "data directory; default " + defaults_.data_dir)->option_text("DIR");
    backup_verb_->add_flag("--force", backup_.force, "replace the backup of that name");
    backup_verb_->add_option("BACKUP", backup_.target, "the directory that is made")->required();

    restore_verb_ = add_verb(app_, "restore", "Make a data directory from a backup", help::restore());
    restore_verb_->add_option("--data", restore_.data_dir, "the data directory that is made; absent or empty")
        ->required()
        ->option_text("DIR");
    restore_verb_->add_flag("--requeue", restore_.requeue, "run what waited when the backup was made; it may have run since");
    restore_verb_->add_option("BACKUP", restore_.source, "the backup")->required();
}

std::optional<command> verb_parsers::chosen_storage()
{
    if (*db_check_verb_)
        return db_check_;
    if (*backup_verb_)
        return backup_;
    if (*restore_verb_)
        return restore_;
    return std::nullopt;
}

}    // namespace caisson::cli
