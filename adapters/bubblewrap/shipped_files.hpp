#pragma once

#include <map>
#include <string>
#include <string_view>

namespace caisson {

/// Configuration files as Debian's packages shipped them: absolute path and MD5 in hexadecimal.
using shipped_files = std::map<std::string, std::string, std::less<>>;

/// Adds what the text of /var/lib/dpkg/status says in its fields Conffiles: lines of " PATH MD5" (dpkg-query(1)). A line without an MD5 is
/// passed over.
void add_conffiles(std::string_view status, shipped_files& files);

/// Adds what the text of /var/lib/ucf/hashfile says of files below /etc/php and /etc/R: lines of "MD5  PATH" (ucf(1)). Others are passed
/// over, since maintainer scripts register files there that they generate of an administrator's answers, passwords among them.
void add_ucf_files(std::string_view hashes, shipped_files& files);

}    // namespace caisson
