#pragma once

#include "storage/sqlite/connection.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::testing {

inline std::uint64_t mixed(std::uint64_t hash, std::string_view bytes)
{
    for (const unsigned char each : bytes)
        hash = (hash ^ each) * 0x100000001b3;
    return (hash ^ 0xffu) * 0x100000001b3;
}

/// Adds what the first `columns` columns of `sql` hold, in short.
inline void add_rows(std::string& text, sqlite::connection& db, const std::string& table, const std::string& sql, int columns)
{
    auto query = db.prepare(sql);
    std::uint64_t hash = 0xcbf29ce484222325;
    int rows = 0;
    for (; query.step(); ++rows)
        for (int i = 0; i < columns; ++i)
            hash = mixed(hash, query.is_null(i) ? "null" : query.view(i));
    text += table + ":" + std::to_string(rows) + ":" + std::to_string(hash) + " ";
}

/// The first column.
inline std::vector<std::string> texts(sqlite::connection& db, const std::string& sql)
{
    auto query = db.prepare(sql);
    std::vector<std::string> all;
    while (query.step())
        all.emplace_back(query.view(0));
    return all;
}

}    // namespace caisson::testing
