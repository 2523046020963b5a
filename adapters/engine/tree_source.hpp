#pragma once

#include "adapters/net/client.hpp"
#include "core/async/offload.hpp"
#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caisson::docker {

/// The content of a directory as a tar, produced while it is read. Members are owned by root and read-only.
class tree_source final : public net::body_source {
public:
    /// The files must not change while the source exists; `workers` must outlive it. Errors: errc::gone if the directory cannot be read;
    /// errc::internal if an entry is neither a file nor a directory.
    static task<result<std::unique_ptr<tree_source>>> open(worker_pool* workers, std::string directory);

    std::uint64_t size_bytes() const override { return size_; }
    /// Errors: errc::internal if a file has changed.
    task<result<shared_bytes>> read() override;

private:
    struct member {
        std::string name;
        std::string path;
        std::uint64_t bytes = 0;
        unsigned mode = 0;
        bool is_directory = false;
    };

    tree_source(worker_pool* workers, std::vector<member> members);
    static result<std::vector<member>> walk(const std::string& directory);
    static std::string head_of(const member& of);
    result<std::string> next_piece();
    result<void> read_file(std::string& into);

    worker_pool* workers_;
    std::vector<member> members_;
    std::uint64_t size_ = 0;
    std::size_t at_ = 0;    // the current member
    unique_fd file_;        // its file, once its head was returned
    std::uint64_t left_ = 0;
    bool ended_ = false;
};

}    // namespace caisson::docker
