#pragma once

#include "adapters/host/local_record.hpp"
#include "adapters/host/run_directory.hpp"

#include <optional>
#include <string>
#include <utility>

namespace caisson {

/// The record of a sandbox, and its run directory, where a later server finds the record.
class stored_record {
public:
    /// Without `directory` the record is not stored yet, or its directory is gone.
    stored_record(local_record record, std::optional<run_directory> directory)
        : record_(std::move(record)), directory_(std::move(directory))
    {
    }

    const local_record& get() const { return record_; }
    void set_directory(run_directory made) { directory_ = std::move(made); }
    bool has_directory() const { return directory_.has_value(); }
    /// Only if has_directory().
    const run_directory& directory() const { return *directory_; }
    /// Another handle to the directory, if there is one.
    std::optional<run_directory> duplicate_directory() const { return directory_ ? directory_->duplicate() : std::nullopt; }
    /// Call when the directory was removed.
    void drop_directory() { directory_.reset(); }

    // Changes that the next save() stores.
    void stamp(steady_time now) { record_.stamp(now); }
    void set_limits(const sandbox_limits& limits) { record_.limits = limits; }
    void set_work_directory(std::string path) { record_.work_directory = std::move(path); }
    void set_uid(uid_t uid) { record_.uid = uid; }
    void set_agent(process_identity agent) { record_.agent = agent; }
    void set_monitor(process_identity monitor) { record_.monitor = monitor; }

    /// Records the engine's container, also on disk. Errors: errc::runtime_unavailable.
    result<void> set_container(local_record::container made)
    {
        record_.made_of = std::move(made);
        return save();
    }
    /// Writes the record to its directory. Only if has_directory(). Errors: errc::runtime_unavailable.
    result<void> save() const { return directory_->write_state(record_.to_json()); }

private:
    local_record record_;
    std::optional<run_directory> directory_;
};

}    // namespace caisson
