#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A Fortran file in free form.
struct fortran_file {
    std::string path;
    std::string_view text;
};

/// Sorts the paths so that gfortran can compile them in one call: a file that defines a module comes before files that use it.
/// Otherwise the given order stays, also among files that use each other in a cycle.
std::vector<std::string> fortran_order(const std::vector<fortran_file>& files);

}    // namespace caisson
