#pragma once

#include "core/async/offload.hpp"
#include "core/skills/package_rules.hpp"
#include "core/skills/ports.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace caisson {

struct file_intake_options {
    std::filesystem::path directory;    // of files being uploaded
    package_limits limits;
    package_rules rules;    // `images` is replaced for each upload
    /// Free bytes of the disk, which also has the databases; empty: not checked. Uploads leave `kept_free_bytes` free.
    std::function<std::uint64_t()> free_bytes = {};
    std::uint64_t kept_free_bytes = 64 << 20;
};

/// Stores uploads as files (0600) in one directory. Reads and checks them on `work`, which must outlive the intake.
class file_intake : public package_intake {
public:
    file_intake(worker_pool& work, file_intake_options options) : work_(work), options_(std::move(options)) { }

    /// Creates the directory, or empties it of an earlier server's files. Call before the first upload. Throws std::system_error.
    task<> prepare();
    task<result<std::unique_ptr<package_upload>>> begin(std::vector<std::string> images) override;

private:
    worker_pool& work_;
    const file_intake_options options_;
    std::uint64_t next_ = 0;
};

}    // namespace caisson
