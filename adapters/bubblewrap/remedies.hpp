#pragma once

#include <string>
#include <string_view>

namespace caisson {

/// What bwrap or the launcher said when a trial sandbox failed, with what to do about it where that is known.
std::string with_remedy(std::string_view failure);

/// The same of a failure in a chroot (is_chroot): if the chroot is the reason it says so, else nothing is added.
std::string with_chroot_remedy(std::string_view failure);

}    // namespace caisson
