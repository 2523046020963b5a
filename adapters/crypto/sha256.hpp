#pragma once

#include <memory>
#include <span>
#include <string>

namespace caisson {

/// SHA-256 of bytes that come in pieces.
class sha256_stream {
public:
    sha256_stream();
    ~sha256_stream();
    sha256_stream(const sha256_stream&) = delete;
    sha256_stream& operator=(const sha256_stream&) = delete;

    void add(std::span<const char> bytes);
    /// Lower-case hex. To be called once, after all bytes.
    std::string finish();

private:
    struct context;
    std::unique_ptr<context> context_;
};

}    // namespace caisson
