#include "app/cli/help_texts.hpp"
#include "app/cli/verb_parsers.hpp"

namespace caisson::cli {

void verb_parsers::add_storage()
{
    auto* const db = add_verb(app_, "db", "Look at the databases");
    db->require_subcommand(1);
    auto [db_check_verb, db_check] = add<db_check_options>(*db, "check", "Check the databases of a data directory", help::db_check());
    db_check.data_dir = defaults_.data_dir;
    db_check_verb->add_option("--data", db_check.data_dir, "data directory; default " + defaults_.data_dir)->option_text("DIR");
    db_check_verb->add_flag("--json", db_check.json, "the findings as JSON");
    db_check_verb->add_flag("--deep", db_check.deep, "also every byte of files, packages and threads' states");

    auto [backup_verb, backup] = add<backup_options>(app_, "backup", "Make a backup of a data directory", help::backup());
    backup.data_dir = defaults_.data_dir;
    backup_verb->add_option("--data", backup.data_dir, "data directory; default " + defaults_.data_dir)->option_text("DIR");
    backup_verb->add_flag("--force", backup.force, "replace the backup of that name");
    backup_verb->add_option("BACKUP", backup.target, "the directory that is made")->required();

    auto [restore_verb, restore] = add<restore_options>(app_, "restore", "Make a data directory from a backup", help::restore());
    restore_verb->add_option("--data", restore.data_dir, "the data directory that is made; absent or empty")
        ->required()
        ->option_text("DIR");
    restore_verb->add_flag("--requeue", restore.requeue, "run what waited when the backup was made; it may have run since");
    restore_verb->add_option("BACKUP", restore.source, "the backup")->required();
}

}    // namespace caisson::cli
