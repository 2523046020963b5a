#pragma once

#include "app/cli/skill_check.hpp"
#include "app/cli/skill_package.hpp"

#include <filesystem>
#include <optional>

namespace caisson::cli {

/// A package named on the command line: a file, or a folder that was packed.
class skill_source {
public:
    /// Packs a folder. Errors: errc::not_found if `named` is neither a file nor a folder; those of pack_skill.
    static result<skill_source> open(const std::filesystem::path& named);

    const std::filesystem::path& package() const { return packed_ ? packed_->path() : file_; }
    /// Null if a file was named.
    const packed_skill* packed() const { return packed_ ? &packed_->what() : nullptr; }
    /// Prints on standard error what was left out of a folder's package.
    void say_left_out() const;

private:
    std::filesystem::path file_;
    std::optional<temporary_package> packed_;
};

/// Prints the findings on standard error.
void complain_of(const skill_report& report);

}    // namespace caisson::cli
