#pragma once

#include <map>
#include <string>
#include <string_view>

namespace caisson {

/// Configuration files as shipped by Debian's packages: absolute path and MD5 in hexadecimal.
using shipped_files = std::map<std::string, std::string, std::less<>>;

/// Adds the Conffiles fields of /var/lib/dpkg/status: lines of " PATH MD5" (dpkg-query(1)). Skips lines without an MD5.
void add_conffiles(std::string_view status, shipped_files& files);

/// Adds the files below /etc/php and /etc/R in /var/lib/ucf/hashfile: lines of "MD5  PATH" (ucf(1)). Skips others: maintainer scripts also
/// register files generated from an administrator's answers, passwords among them.
void add_ucf_files(std::string_view hashes, shipped_files& files);

}    // namespace caisson
