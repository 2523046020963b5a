#include "app/cli/help_texts.hpp"

namespace caisson::cli::help {

std::string thread()
{
    return R"(A thread is the sequence of states that an agent saved: its checkpoints.

Examples:
  caisson thread ls                            all threads
  caisson thread log agent-1                   its checkpoints as a tree, the newest first
  caisson thread show agent-1                  the newest state
  caisson thread diff agent-1 step-3           what changed since
  caisson thread rollback agent-1 step-3       go back; what came later stays
  caisson thread export agent-1                into agent-1.ndjson)";
}

std::string thread_list()
{
    return R"(Lists the tenant's threads by name.

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string thread_log()
{
    return R"(Shows a thread's checkpoints, the newest first, as the tree that their parents make.

Examples:
  caisson thread log agent-1
  caisson thread log -n 500 --output json agent-1

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string thread_show()
{
    return R"(Prints a checkpoint's state, with --output json the checkpoint. Without an id the newest one's.

Examples:
  caisson thread show agent-1
  caisson thread show agent-1 step-3

Exit statuses: 0 done, 1 failed or no such checkpoint, 2 wrong usage.)";
}

std::string thread_diff()
{
    return R"(Shows what changed from one state to another, by default to the newest: + added, - removed, ~ replaced; with --output json the
JSON Patch (RFC 6902).

Examples:
  caisson thread diff agent-1 step-3
  caisson thread diff agent-1 step-3 step-5

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string thread_rollback()
{
    return R"(Goes back to a checkpoint: a copy of it becomes the newest. With --truncate all that came later is removed instead, unless one of
them is pinned.

Examples:
  caisson thread rollback agent-1 step-3
  caisson thread rollback --truncate agent-1 step-3

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string thread_branch()
{
    return R"(Makes a thread that begins with the state of a checkpoint of another, by default its newest.

Examples:
  caisson thread branch agent-1 try-2
  caisson thread branch --at step-3 agent-1 try-2

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string thread_remove()
{
    return R"(Removes a thread with all its checkpoints, or only those that are named. If one of these is not there, none is removed.

Examples:
  caisson thread rm agent-1
  caisson thread rm agent-1 step-3 step-4

Exit statuses: 0 done (also if there is no such thread), 1 failed, 2 wrong usage.)";
}

std::string thread_export()
{
    return R"(Writes a thread into one file, by default THREAD.ndjson here; - is standard output. The file ends with its SHA-256: one that was
cut off is not taken back.

Examples:
  caisson thread export agent-1
  caisson thread export --force agent-1 backup.ndjson

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string thread_import()
{
    return R"(Makes a thread of an exported file, with its ids and times; - is standard input. It is there as a whole or not at all.

Examples:
  caisson thread import agent-1 backup.ndjson
  zstdcat backup.ndjson.zst | caisson thread import agent-1 -

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

}    // namespace caisson::cli::help
