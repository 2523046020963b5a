#pragma once

#include <string>
#include <string_view>

namespace caisson {

/// A text that must not be printed: it has no stream, format or JSON conversion, and its destructor wipes it.
class secret {
public:
    secret() = default;
    explicit secret(std::string text) : text_(std::move(text)) { }
    secret(const secret&) = default;
    secret(secret&& other) noexcept : text_(other.text_) { other.wipe(); }
    secret& operator=(const secret& other)
    {
        if (this != &other) {
            wipe();
            text_ = other.text_;
        }
        return *this;
    }
    secret& operator=(secret&& other) noexcept
    {
        if (this != &other) {
            wipe();
            text_ = other.text_;
            other.wipe();
        }
        return *this;
    }
    ~secret() { wipe(); }

    /// The text itself. The name is long so that each use is seen in a review.
    std::string_view reveal() const { return text_; }
    bool empty() const { return text_.empty(); }

private:
    void wipe() noexcept;
    std::string text_;
};

}    // namespace caisson
