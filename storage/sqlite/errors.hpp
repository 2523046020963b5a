#pragma once

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

struct sqlite3;

namespace caisson {

/// What kind of broken world a storage_error is about.
enum class storage_fault {
    broken,    // I/O errors, misuse and all that is not named below
    disk_full,
    corrupt,              // the file is damaged or no database at all
    foreign,              // a database of another program
    busy,                 // another process holds the database for longer than the busy timeout
    constraint,           // a statement breaks a rule of the schema
    newer_schema,         // made by a newer Caisson
    changed_migration,    // made by a Caisson with another text of a migration
    locked,               // another server uses the data directory
    overloaded,           // more work is queued than the bound allows
};

/// A failure that no request is to blame for. What what() says is for the log and the operator; it may hold host paths.
class storage_error : public std::runtime_error {
public:
    storage_error(storage_fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) { }
    storage_fault fault() const { return fault_; }

private:
    storage_fault fault_;
};

/// A storage_error of the same fault and text that shares no memory with `failure`, which is not null; storage_fault::broken for any other
/// exception. For another thread: the thread sanitizer does not see the count by which libstdc++ frees an exception that threads share.
std::exception_ptr copy_of(const std::exception_ptr& failure);

/// Throws storage_fault::broken with what errno says of `file`; `doing` is a verb.
[[noreturn]] void throw_broken(const std::filesystem::path& file, const char* doing);

namespace sqlite {

/// Throws the storage_error of the last failed call on `handle` (which may be null after a failed open): `code` is what
/// the call returned, `doing` what was being done.
[[noreturn]] void throw_error(sqlite3* handle, int code, const std::string& doing);

}    // namespace sqlite

}    // namespace caisson
