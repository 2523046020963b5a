#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::cli {

/// Cuts bytes that come in pieces into lines of at most `limit` bytes.
class line_splitter {
public:
    explicit line_splitter(std::size_t limit) : limit_(limit) { }

    void feed(std::string_view bytes) { kept_.append(bytes); }
    /// The next whole line without its line feed; nothing until one is there.
    std::optional<std::string> next();
    /// True if what waits for its end is longer than a line may be.
    bool overlong() const { return kept_.size() - begin_ > limit_ && kept_.find('\n', begin_) == std::string::npos; }

private:
    std::size_t limit_;
    std::string kept_;
    std::size_t begin_ = 0;
};

}    // namespace caisson::cli
