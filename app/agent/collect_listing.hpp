#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::agent {

/// What a directory says of an entry.
enum class entry_kind : std::uint8_t { directory, regular, other };

/// Names of one directory in the order that their paths have: a directory's name counts with the slash that follows it. Names that
/// do not fit are dropped, the last in order first.
class collect_listing {
public:
    /// All names together take at most `most_bytes`, but one name always fits.
    explicit collect_listing(std::size_t most_bytes) : most_bytes_(most_bytes) { }

    void add(std::string_view name, entry_kind kind);
    /// To be called once, after all were added.
    void sort();

    std::size_t size() const { return starts_.size(); }
    /// Ends with a slash if it is a directory.
    std::string_view operator[](std::size_t number) const;
    entry_kind kind_of(std::size_t number) const { return starts_[number].kind; }
    std::uint64_t dropped() const { return dropped_; }
    std::size_t bytes() const { return text_.size() + starts_.size() * per_name; }

private:
    static constexpr std::size_t per_name = 16;
    struct span {
        std::uint32_t from;
        std::uint16_t size;    // of a name: at most 255, and a slash
        entry_kind kind;
    };
    void drop_half();
    std::size_t most_bytes_;
    std::string text_;
    std::vector<span> starts_;
    std::uint64_t dropped_ = 0;
};

}    // namespace caisson::agent
