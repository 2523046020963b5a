#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace caisson {

/// What a value of JSON is.
enum class json_kind { object, list, string, number, word };

/// Where each value of a canonical text lies, in the order of the text; 0 is the whole. The text outlives the index.
class text_index {
public:
    using position = std::uint32_t;

    /// Throws std::invalid_argument if `canonical` is not what state_canonicalizer made, std::length_error from 4 GiB on.
    explicit text_index(std::string_view canonical);

    json_kind kind(position at) const;
    /// The value as it stands.
    std::string_view text(position at) const { return text_.substr(nodes_[at].begin, nodes_[at].end - nodes_[at].begin); }
    /// How many objects and lists lie within each other there: 0 for what is neither.
    std::size_t height(position at) const { return nodes_[at].height; }
    /// How many members or elements it has.
    std::size_t size(position at) const { return nodes_[at].size; }
    /// The first member or element. One that has any.
    position first(position at) const { return at + 1; }
    /// The value behind this one, which has one in the same object or list.
    position next(position at) const { return nodes_[at].next; }
    /// The name of this member of an object, with its quotes.
    std::string_view name(position member) const
    {
        return text_.substr(nodes_[member].name_begin, nodes_[member].begin - 1 - nodes_[member].name_begin);
    }

    /// Whether two values have equal text; in a time that does not depend on how deep they lie if they do not.
    static bool same(const text_index& a, position at, const text_index& b, position other);
    /// Some order in which equal texts, and no others, are equivalent; likewise.
    static bool before(const text_index& a, position at, const text_index& b, position other);

private:
    struct node {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        position next = 0;    // behind all that is within
        std::uint32_t size = 0;
        std::uint32_t hash = 0;          // of what is within
        std::uint32_t name_begin = 0;    // of a member
        std::uint16_t height = 0;
    };
    class builder;

    std::string_view text_;
    std::vector<node> nodes_;
};

}    // namespace caisson
