#pragma once

#include "adapters/net/tls_context.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace caisson::net {

/// Tells whether a file was written anew or replaced, symbolic links followed.
struct file_stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = -1;    // -1: it cannot be looked at
    std::int64_t changed_ns = 0;
    bool operator==(const file_stamp&) const = default;
};

/// Of the certificate and the key.
std::array<file_stamp, 2> stamps_of(const tls_files& files);

/// What makes a pair weaker than it looks, in words for the operator; empty if nothing does: it has expired, is not valid yet, expires
/// within 14 days, or others than the key's owner can read the key.
std::vector<std::string> weaknesses_of(const certificate_facts& facts, const tls_files& files, std::int64_t now_ms);

/// "expires in 89 days, on 2026-05-01T12:00:00.000Z"; "expired on …".
std::string lifetime_text(const certificate_facts& facts, std::int64_t now_ms);

}    // namespace caisson::net
