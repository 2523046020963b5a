#pragma once

#include "storage/storage.hpp"
#include "tests/storage/execution_rows.hpp"
#include "tests/storage/log_builder.hpp"
#include "tests/storage/temp_dir.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace caisson::testing {

enum class database_file { records, events, content };
inline constexpr database_file all_databases[] = {database_file::records, database_file::events, database_file::content};
/// "records.db" and so on.
const char* name_of(database_file file);

/// One call of a store. Calls of the same `group` (not 0) are begun together.
struct store_call {
    std::string name;
    database_file file;
    std::function<task<result<void>>(storage&)> run;
    int group = 0;
};

/// Calls of every kind that a server makes, in an order in which all succeed.
std::vector<store_call> representative_calls();

/// All that readers can see of a database, in short: equal if and only if the contents are. Opens the file.
std::string content_of(const std::filesystem::path& data_dir, database_file file);

/// Findings of SQLite itself on all files; empty if they are whole.
std::string integrity_of(const std::filesystem::path& data_dir);
std::string integrity_of(const std::filesystem::path& data_dir, database_file file);

/// A directory in memory where the host has one, so that thousands of reopenings cost little.
class fast_dir {
public:
    fast_dir();
    ~fast_dir();
    fast_dir(const fast_dir&) = delete;
    fast_dir& operator=(const fast_dir&) = delete;
    const std::filesystem::path& path() const { return path_; }
    void empty() const;

private:
    std::filesystem::path path_;
};

}    // namespace caisson::testing
