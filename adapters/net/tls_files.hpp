#pragma once

#include "adapters/net/tls_context.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace caisson::net {

/// Detects that a file was rewritten or replaced; follows symbolic links.
struct file_stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = -1;    // -1: stat() failed
    std::int64_t changed_ns = 0;
    bool operator==(const file_stamp&) const = default;
};

/// The stamps of the certificate and the key.
std::array<file_stamp, 2> stamps_of(const tls_files& files);

/// Warnings for the operator about a pair: it has expired, is not valid yet, expires within 14 days, or every user of the machine
/// can read the key. Empty if there are none.
std::vector<std::string> weaknesses_of(const certificate_facts& facts, const tls_files& files, std::int64_t now_ms);

/// "expires in 89 days, on 2026-05-01T12:00:00.000Z"; "expired on …".
std::string lifetime_text(const certificate_facts& facts, std::int64_t now_ms);

}    // namespace caisson::net
