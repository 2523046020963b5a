#pragma once

#include "app/cli/skill_check.hpp"
#include "app/cli/skill_package.hpp"

#include <filesystem>
#include <optional>

namespace caisson::cli {

/// A package that was named on the command line: a file, or what a folder was packed into.
class skill_source {
public:
    /// Errors: errc::not_found if nothing is there; those of pack_skill.
    static result<skill_source> open(const std::filesystem::path& named);

    const std::filesystem::path& package() const { return packed_ ? packed_->path() : file_; }
    /// Null if it is a file.
    const packed_skill* packed() const { return packed_ ? &packed_->what() : nullptr; }
    /// Tells on standard error what was left out of a folder's package.
    void say_left_out() const;

private:
    std::filesystem::path file_;
    std::optional<temporary_package> packed_;
};

/// The findings on standard error.
void complain_of(const skill_report& report);

}    // namespace caisson::cli
