#pragma once

#include <string>
#include <vector>

namespace caisson::testing {

/// What a tar holds: a file, or a link if `link` is set.
struct tar_member {
    std::string name;
    std::string content = {};
    unsigned mode = 0644;
    std::string link = {};    // what it points to
};

/// A tar with its end. Directories are made by whoever unpacks it.
std::string tar_of(const std::vector<tar_member>& members);

/// The files of a tar without pax headers: names and contents.
std::vector<tar_member> tar_members(const std::string& tar);

/// The root file system of an image: this host's static busybox and links for its programs. Empty if the host has none.
std::string busybox_tar();

}    // namespace caisson::testing
