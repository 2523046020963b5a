#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace caisson {

/// The kind of a JSON value; a word is true, false or null.
enum class json_kind { object, list, string, number, word };

/// An index of the values in a canonical text, in text order; position 0 is the whole. The text must outlive the index.
class text_index {
public:
    using position = std::uint32_t;

    /// Throws std::invalid_argument if `canonical` is not the output of state_canonicalizer, std::length_error from 4 GiB on.
    explicit text_index(std::string_view canonical);

    json_kind kind(position at) const;
    /// The text of the value.
    std::string_view text(position at) const { return text_.substr(nodes_[at].begin, nodes_[at].end - nodes_[at].begin); }
    /// The number of nested levels of objects and lists; 0 for a scalar.
    std::size_t height(position at) const { return nodes_[at].height; }
    /// The number of members or elements.
    std::size_t size(position at) const { return nodes_[at].size; }
    /// The first member or element; the value must have one.
    position first(position at) const { return at + 1; }
    /// The next value in the same object or list; there must be one.
    position next(position at) const { return nodes_[at].next; }
    /// The name of a member of an object, with quotes.
    std::string_view name(position member) const
    {
        return text_.substr(nodes_[member].name_begin, nodes_[member].begin - 1 - nodes_[member].name_begin);
    }

    /// True if two values have equal text. Compares hashes first, so that different values usually take constant time.
    static bool same(const text_index& a, position at, const text_index& b, position other);
    /// A strict weak order; only values with equal texts are equivalent. Compares hashes first.
    static bool before(const text_index& a, position at, const text_index& b, position other);

private:
    struct node {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        position next = 0;    // the position after all nested values
        std::uint32_t size = 0;
        std::uint32_t hash = 0;          // of the whole value
        std::uint32_t name_begin = 0;    // of a member of an object
        std::uint16_t height = 0;
    };
    class builder;

    std::string_view text_;
    std::vector<node> nodes_;
};

}    // namespace caisson
