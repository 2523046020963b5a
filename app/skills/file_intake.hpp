#pragma once

#include "core/async/offload.hpp"
#include "core/skills/package_rules.hpp"
#include "core/skills/ports.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace caisson {

struct file_intake_options {
    std::filesystem::path directory;    // of files that are on their way in
    package_limits limits;
    package_rules rules;    // its images are those of each upload
    /// Of the disk that the databases are on too; empty: not looked at. Uploads leave `kept_free_bytes` of it.
    std::function<std::uint64_t()> free_bytes = {};
    std::uint64_t kept_free_bytes = 64 << 20;
};

/// Uploads as files (0600) of one directory; they are read and judged on `work`, which outlives it.
class file_intake : public package_intake {
public:
    file_intake(worker_pool& work, file_intake_options options) : work_(work), options_(std::move(options)) { }

    /// Makes the directory, without what an earlier server left there. Before the first upload. Throws std::system_error.
    task<> prepare();
    task<result<std::unique_ptr<package_upload>>> begin(std::vector<std::string> images) override;

private:
    worker_pool& work_;
    const file_intake_options options_;
    std::uint64_t next_ = 0;
};

}    // namespace caisson
