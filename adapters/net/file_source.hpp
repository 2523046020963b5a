#pragma once

#include "adapters/net/client.hpp"
#include "core/async/offload.hpp"
#include "core/base/unique_fd.hpp"

#include <filesystem>

namespace caisson::net {

/// A regular file as an upload body, read in pieces of 256 KiB on `disk`, which must outlive it. The size is fixed by open().
class file_source final : public body_source {
public:
    /// Errors: errc::not_found or errc::forbidden with the path; errc::bad_request if it is not a regular file.
    static result<std::unique_ptr<file_source>> open(const std::filesystem::path& path, worker_pool& disk);

    std::uint64_t size_bytes() const override { return size_; }
    /// Errors: errc::bad_request if the file became shorter or cannot be read.
    task<result<shared_bytes>> read() override;

private:
    file_source(unique_fd file, std::uint64_t size, std::filesystem::path path, worker_pool& disk)
        : file_(std::move(file)), size_(size), path_(std::move(path)), disk_(disk)
    {
    }
    result<shared_bytes> read_at(std::uint64_t offset) const;

    unique_fd file_;
    std::uint64_t size_;
    std::filesystem::path path_;
    worker_pool& disk_;
    std::uint64_t done_ = 0;
};

}    // namespace caisson::net
