#pragma once

#include <memory>
#include <span>
#include <string>

namespace caisson {

/// SHA-256 of data that arrives in pieces.
class sha256_stream {
public:
    sha256_stream();
    ~sha256_stream();
    sha256_stream(const sha256_stream&) = delete;
    sha256_stream& operator=(const sha256_stream&) = delete;

    void add(std::span<const char> bytes);
    /// Returns lower-case hex. Call once, after all data.
    std::string finish();

private:
    struct context;
    std::unique_ptr<context> context_;
};

}    // namespace caisson
