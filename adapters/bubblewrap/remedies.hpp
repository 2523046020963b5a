#pragma once

#include <string>
#include <string_view>

namespace caisson {

/// Adds a known remedy to what bwrap or the launcher reported when a trial sandbox failed.
std::string with_remedy(std::string_view failure);

/// For a failure in a chroot (is_chroot): adds a remedy if the chroot is the reason, else nothing.
std::string with_chroot_remedy(std::string_view failure);

}    // namespace caisson
