#pragma once

#include "core/base/ids.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3_stmt;

namespace caisson::sqlite {

class connection;

/// Text or bytes that are bound without a copy: they must live until the statement is reset or dies.
struct borrowed_text {
    std::string_view text;
};
struct borrowed_blob {
    std::string_view bytes;
};

/// A prepared statement on loan from its connection's cache: reset and given back when it dies. Must not outlive the
/// connection. Failures throw storage_error; binding another number of values than the statement has is std::logic_error.
class statement {
public:
    statement(connection& owner, sqlite3_stmt* handle) : owner_(&owner), handle_(handle) { }
    statement(statement&& other) noexcept;
    statement& operator=(statement&&) = delete;
    ~statement();

    /// Binds the next parameters in the order of their first appearance in the text. Integers above 2^63 - 1 count as that.
    template <class... T>
    statement& bind(const T&... values)
    {
        (put(++bound_, values), ...);
        return *this;
    }
    /// Binds one named parameter, for example ":tenant".
    template <class T>
    statement& set(const char* name, const T& value)
    {
        ++bound_;
        put(index_of(name), value);
        return *this;
    }

    /// True if there is a row; its columns are valid until the next step.
    bool step();
    /// Steps to the end and makes the statement ready to be bound again.
    void run();

    bool is_null(int column) const;
    std::int64_t integer(int column) const;
    /// Text or bytes; valid until the next step.
    std::string_view view(int column) const;

private:
    void put(int index, std::nullopt_t);
    void put(int index, std::int64_t value);
    void put(int index, std::string_view value);
    void put(int index, borrowed_text value);
    void put(int index, borrowed_blob value);
    void put(int index, const std::string& value) { put(index, std::string_view(value)); }
    void put(int index, std::integral auto value);
    template <class Tag>
    void put(int index, const basic_id<Tag>& id)
    {
        put(index, std::string_view(id.str()));
    }
    template <class T>
    void put(int index, const std::optional<T>& value)
    {
        value ? put(index, *value) : put(index, std::nullopt);
    }
    int index_of(const char* name) const;
    void check(int code) const;

    connection* owner_;
    sqlite3_stmt* handle_;
    int bound_ = 0;
    bool stepped_ = false;
};

void statement::put(int index, std::integral auto value)
{
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if constexpr (sizeof value == sizeof most && std::is_unsigned_v<decltype(value)>)
        put(index, static_cast<std::int64_t>(std::min<std::uint64_t>(value, most)));
    else
        put(index, static_cast<std::int64_t>(value));
}

/// Reads the columns of a statement's row from left to right.
class column_reader {
public:
    explicit column_reader(const statement& row) : row_(row) { }

    std::int64_t integer() { return row_.integer(next_++); }
    std::uint64_t count() { return static_cast<std::uint64_t>(integer()); }
    bool flag() { return integer() != 0; }
    std::string text() { return std::string(view()); }
    std::string_view view() { return row_.view(next_++); }
    std::optional<std::int64_t> optional_integer() { return present() ? std::optional(integer()) : skip(); }
    template <class Id>
    Id id()
    {
        return Id::from_trusted(text());
    }
    /// Whether the next column has a value.
    bool present() const { return !row_.is_null(next_); }
    std::nullopt_t skip()
    {
        ++next_;
        return std::nullopt;
    }

private:
    const statement& row_;
    int next_ = 0;
};

}    // namespace caisson::sqlite
