#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A file of Fortran in free form.
struct fortran_file {
    std::string path;
    std::string_view text;
};

/// The paths in an order in which gfortran can compile them in one go: what defines a module stands before what uses it. Else they stay in
/// the order that they have, and so do files that use each other in a circle.
std::vector<std::string> fortran_order(const std::vector<fortran_file>& files);

}    // namespace caisson
