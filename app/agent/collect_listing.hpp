#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::agent {

/// Kind of a directory entry.
enum class entry_kind : std::uint8_t { directory, regular, other };

/// The names of one directory in the order of their paths: a directory's name includes a trailing slash. Names that do not fit are
/// dropped, from the end of the order.
class collect_listing {
public:
    /// All names together take at most `most_bytes`, but one name always fits.
    explicit collect_listing(std::size_t most_bytes) : most_bytes_(most_bytes) { }

    void add(std::string_view name, entry_kind kind);
    /// Call once, after the last add().
    void sort();

    std::size_t size() const { return starts_.size(); }
    /// The name, with a trailing slash for a directory.
    std::string_view operator[](std::size_t number) const;
    entry_kind kind_of(std::size_t number) const { return starts_[number].kind; }
    std::uint64_t dropped() const { return dropped_; }
    std::size_t bytes() const { return text_.size() + starts_.size() * per_name; }

private:
    static constexpr std::size_t per_name = 16;
    struct span {
        std::uint32_t from;
        std::uint16_t size;    // of the name: at most 255, plus a slash
        entry_kind kind;
    };
    void drop_half();
    std::size_t most_bytes_;
    std::string text_;
    std::vector<span> starts_;
    std::uint64_t dropped_ = 0;
};

}    // namespace caisson::agent
