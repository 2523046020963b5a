#include "app/cli/help_texts.hpp"

namespace caisson::cli::help {

std::string db_check()
{
    return R"(Reads the databases whole, whether a server runs on them or not, and changes nothing: their integrity, schema and
references, and whether each record, its log and its files agree. Takes about a second for 300 MiB. With --deep also every
byte of files, packages and states of threads is compared with its SHA-256.

Findings are "damage" (a file is not what it should be), "wrong" (what is stored contradicts itself) or "note" (the server
deals with it by itself).

Exit statuses: 0 nothing but notes, 1 damage or something wrong, 2 wrong usage, or there is no such directory.)";
}

std::string backup()
{
    return R"(Copies the databases of a data directory, whether a server runs on it or not, into a directory with a manifest and
SHA-256 sums. It is made as BACKUP.partial and gets its name when it is whole and on the disk. The server goes on meanwhile;
its write-ahead logs grow by what it writes until the copy is done.

In the backup are all records, logs, kept files, skills and keys (of keys their hashes only, so admin.key is not in it). Executions that ended
before the backup began are in it whole. Files of running sandboxes are not.

Examples:
  caisson backup /backups/caisson-$(date +%F)
  caisson backup --data /srv/caisson --force /backups/latest
  tar c -C /backups latest | zstd > latest.tar.zst     if it has to be one file

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string restore()
{
    return R"(Checks a backup (sums, integrity, schema) and makes a data directory from it: as DIR.restoring, which gets its name
when it is whole and on the disk. DIR must be absent or empty. A server on it is another instance than the original's,
whose sandboxes it leaves alone; it makes a new admin.key. Keys that clients have go on to work.

What ran when the backup was made is ended as "interrupted". So is what waited, since the original may have run it
afterwards; with --requeue the next server runs it, perhaps for the second time.

Examples:
  caisson restore /backups/latest --data /srv/caisson-restored
  caisson serve --data /srv/caisson-restored

Exit statuses: 0 done, 1 failed: nothing is in place then, 2 wrong usage.)";
}

}    // namespace caisson::cli::help
