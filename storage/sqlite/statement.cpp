#include "storage/sqlite/statement.hpp"

#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/errors.hpp"

#include <sqlite3.h>

#include <stdexcept>
#include <utility>

namespace caisson::sqlite {

statement::statement(statement&& other) noexcept
    : owner_(other.owner_), handle_(std::exchange(other.handle_, nullptr)), bound_(other.bound_), stepped_(other.stepped_)
{
}

statement::~statement()
{
    if (handle_)
        owner_->give_back(handle_);
}

bool statement::step()
{
    if (!std::exchange(stepped_, true) && bound_ != sqlite3_bind_parameter_count(handle_))
        throw std::logic_error(std::to_string(bound_) + " values bound to: " + sqlite3_sql(handle_));
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        check(code);
    return false;
}

void statement::run()
{
    while (step()) { }
    sqlite3_reset(handle_);
    bound_ = 0;
    stepped_ = false;
}

bool statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

std::int64_t statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::string_view statement::view(int column) const
{
    const void* const bytes = sqlite3_column_blob(handle_, column);    // null if empty
    return bytes ? std::string_view(static_cast<const char*>(bytes), sqlite3_column_bytes(handle_, column)) : std::string_view();
}

void statement::put(int index, std::nullopt_t) { check(sqlite3_bind_null(handle_, index)); }

void statement::put(int index, std::int64_t value) { check(sqlite3_bind_int64(handle_, index, value)); }

void statement::put(int index, std::string_view value)
{
    check(sqlite3_bind_text64(handle_, index, value.empty() ? "" : value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void statement::put(int index, borrowed_text value)
{
    check(sqlite3_bind_text64(handle_, index, value.text.empty() ? "" : value.text.data(), value.text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void statement::put(int index, borrowed_blob value)
{
    check(sqlite3_bind_blob64(handle_, index, value.bytes.empty() ? "" : value.bytes.data(), value.bytes.size(), SQLITE_STATIC));
}

int statement::index_of(const char* name) const
{
    const int index = sqlite3_bind_parameter_index(handle_, name);
    if (index == 0)
        throw std::logic_error("no parameter " + std::string(name) + " in: " + sqlite3_sql(handle_));
    return index;
}

void statement::check(int code) const
{
    if (code != SQLITE_OK)
        throw_error(sqlite3_db_handle(handle_), code, sqlite3_sql(handle_));
}

}    // namespace caisson::sqlite
