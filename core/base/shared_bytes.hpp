#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace caisson {

/// Immutable bytes with shared ownership: the log, the database and every viewer share one copy. Slicing copies nothing.
class shared_bytes {
public:
    shared_bytes() = default;
    explicit shared_bytes(std::string bytes) : owner_(std::make_shared<const std::string>(std::move(bytes))), view_(*owner_) { }

    std::string_view view() const { return view_; }
    std::size_t size() const { return view_.size(); }
    bool empty() const { return view_.empty(); }

    /// The part from `from`, at most `length` bytes; shares ownership.
    shared_bytes slice(std::size_t from, std::size_t length = std::string_view::npos) const
    {
        shared_bytes part(*this);
        part.view_ = view_.substr(from, length);
        return part;
    }

    friend bool operator==(const shared_bytes& left, const shared_bytes& right) { return left.view_ == right.view_; }
    friend bool operator==(const shared_bytes& left, std::string_view right) { return left.view_ == right; }

private:
    std::shared_ptr<const std::string> owner_;
    std::string_view view_;
};

}    // namespace caisson
