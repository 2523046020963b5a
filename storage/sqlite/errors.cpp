#include "storage/sqlite/errors.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace caisson {

std::exception_ptr copy_of(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const storage_error& e) {
        return std::make_exception_ptr(storage_error(e.fault(), e.what()));
    } catch (const std::exception& e) {
        return std::make_exception_ptr(storage_error(storage_fault::broken, e.what()));
    } catch (...) {
        return std::make_exception_ptr(storage_error(storage_fault::broken, "unknown failure"));
    }
}

void throw_broken(const std::filesystem::path& file, const char* doing)
{
    throw storage_error(storage_fault::broken, std::string("cannot ") + doing + " " + file.string() + ": " + std::strerror(errno));
}

}    // namespace caisson

namespace caisson::sqlite {

namespace {

storage_fault fault_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_FULL: return storage_fault::disk_full;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return storage_fault::corrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return storage_fault::busy;
    case SQLITE_CONSTRAINT: return storage_fault::constraint;
    default: return storage_fault::broken;
    }
}

}    // namespace

void throw_error(sqlite3* handle, int code, const std::string& doing)
{
    const int extended = handle ? sqlite3_extended_errcode(handle) : code;
    const char* const path = handle ? sqlite3_db_filename(handle, "main") : nullptr;
    const std::string file = path ? std::filesystem::path(path).filename().string() + ": " : std::string();
    const std::string message = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    throw storage_error(fault_of(code), file + message + " (SQLite " + std::to_string(extended) + ") at: " + doing);
}

}    // namespace caisson::sqlite
