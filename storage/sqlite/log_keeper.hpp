#pragma once

#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/writer_limits.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace caisson::sqlite {

/// Keeps the log (-wal) of a database at a useful size: moves a long one into the file, and makes its file larger before that is needed.
/// The writer's thread only.
class log_keeper {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// `db` keeps its log and outlives this.
    log_keeper(connection& db, const writer_limits& limits);

    /// Call after each commit was answered: moves a long log that may not grow.
    void look();
    /// Whether the log is to be moved once nothing was written for writer_limits::quiet.
    bool is_long() const { return is_long_; }
    /// Moves the log into the file. What others read, or the disk has no room for, stays where it is; the next look tries again.
    void move();
    /// When extend() may be called, if nothing is written until then. Nothing: the log's file is large enough.
    std::optional<time_point> next_extension(time_point last_commit) const;
    /// Makes the log's file larger by a step. A commit waits for a running step. Failures are ignored; next_extension() says when to try
    /// again.
    void extend();

private:
    bool may_grow(std::int64_t log_bytes) const;

    connection& db_;
    const writer_limits limits_;
    bool is_long_ = false;
    bool is_short_;                // false once the file has ahead_log_bytes
    std::int64_t extension_;       // bytes of the next step
    time_point next_extension_;    // earliest time of the next step
};

}    // namespace caisson::sqlite
