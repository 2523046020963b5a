#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::cli {

/// Splits a byte stream into lines. overlong() reports an unfinished line of more than `limit` bytes.
class line_splitter {
public:
    explicit line_splitter(std::size_t limit) : limit_(limit) { }

    void feed(std::string_view bytes) { kept_.append(bytes); }
    /// The next complete line without its line feed; empty until there is one.
    std::optional<std::string> next();
    bool overlong() const { return kept_.size() - begin_ > limit_ && kept_.find('\n', begin_) == std::string::npos; }

private:
    std::size_t limit_;
    std::string kept_;
    std::size_t begin_ = 0;
};

}    // namespace caisson::cli
