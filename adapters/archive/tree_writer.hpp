#pragma once

#include "adapters/archive/archive_walk.hpp"
#include "core/base/unique_fd.hpp"

#include <filesystem>
#include <vector>

namespace caisson {

/// Writes the files of an index below a directory. Opens paths component by component and never through a link.
class tree_writer : public member_sink {
public:
    /// Throws std::system_error if `into` is not a directory.
    tree_writer(const package_index& index, const package_limits& limits, const std::filesystem::path& into);

    result<void> begin(const archive_member& member) override;
    result<void> data(std::string_view bytes) override;
    result<void> end() override;
    /// Call after the last entry. Errors: errc::invalid_skill if files of the index were missing.
    result<void> finish() const;

private:
    const package_entry* find(const std::string& path) const;
    void open_file(const std::string& path);

    const package_index& index_;
    const package_limits& limits_;
    unique_fd root_;
    std::vector<bool> written_;    // for each entry of the index
    unique_fd file_;               // current file; none: the entry is skipped
    std::uint32_t mode_ = 0;
};

}    // namespace caisson
