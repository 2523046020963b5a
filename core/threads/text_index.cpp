#include "core/threads/text_index.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace caisson {

namespace {

constexpr std::size_t deepest_level = 1'000;    // code that walks an index recurses once per level

std::uint32_t hash_of(std::string_view text)
{
    const auto hash = static_cast<std::uint64_t>(std::hash<std::string_view>{}(text));
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

std::uint32_t mixed(std::uint32_t hash, std::uint32_t with)
{
    return static_cast<std::uint32_t>((hash + with) * std::uint64_t{0x9E3779B97F4A7C15} >> 29);
}

[[noreturn]] void not_canonical() { throw std::invalid_argument("a text is not the canonical form of a state"); }

void require(bool condition)
{
    if (!condition)
        not_canonical();
}

}    // namespace

/// Builds the index in one pass; a stack holds the open objects and lists.
class text_index::builder {
public:
    explicit builder(text_index& index) : text_(index.text_), nodes_(index.nodes_) { }

    void run()
    {
        value(0);
        while (!open_.empty())
            step();
        require(at_ == text_.size());
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void take(char c)
    {
        require(peek() == c);
        ++at_;
    }

    /// Reads one member or element of the innermost open value, or its end.
    void step()
    {
        auto& within = nodes_[open_.back()];
        const bool object = text_[within.begin] == '{';
        if (peek() == (object ? '}' : ']')) {
            ++at_;
            close();
            return;
        }
        if (within.size++ > 0)
            take(',');
        const auto name = at_;
        if (object) {
            string();
            take(':');
        }
        value(name);
    }

    void value(std::size_t name)
    {
        node node;
        node.begin = static_cast<std::uint32_t>(at_);
        node.name_begin = static_cast<std::uint32_t>(name);
        if (peek() == '{' || peek() == '[') {
            node.hash = static_cast<unsigned char>(text_[at_++]);
            node.height = 1;
            require(open_.size() < deepest_level);
            open_.push_back(static_cast<position>(nodes_.size()));
            nodes_.push_back(node);
            return;
        }
        scalar();
        node.end = static_cast<std::uint32_t>(at_);
        node.next = static_cast<position>(nodes_.size() + 1);
        node.hash = hash_of(text_.substr(node.begin, node.end - node.begin));
        nodes_.push_back(node);
        fold(nodes_.back());
    }

    void scalar()
    {
        if (peek() == '"')
            return string();
        const auto end = std::min(text_.find_first_of(",]}", at_), text_.size());
        require(end > at_);
        at_ = end;
    }

    void string()
    {
        const auto begin = at_;
        take('"');
        for (;;) {
            const auto quote = text_.find('"', at_);
            require(quote != std::string_view::npos);
            at_ = quote + 1;
            auto before = quote;
            while (before > begin + 1 && text_[before - 1] == '\\')
                --before;
            if ((quote - before) % 2 == 0)
                return;
        }
    }

    void close()
    {
        auto& node = nodes_[open_.back()];
        node.end = static_cast<std::uint32_t>(at_);
        node.next = static_cast<position>(nodes_.size());
        open_.pop_back();
        fold(node);
    }

    /// Adds hash and height of a completed value to its parent.
    void fold(const node& node)
    {
        if (open_.empty())
            return;
        auto& around = nodes_[open_.back()];
        if (text_[around.begin] == '{')
            around.hash = mixed(around.hash, hash_of(text_.substr(node.name_begin, node.begin - node.name_begin)));
        around.hash = mixed(around.hash, node.hash);
        around.height = std::max(around.height, static_cast<std::uint16_t>(node.height + 1));
    }

    std::string_view text_;
    std::vector<node>& nodes_;
    std::vector<position> open_;
    std::size_t at_ = 0;
};

text_index::text_index(std::string_view canonical) : text_(canonical)
{
    if (canonical.size() >= std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a state of 4 GiB or more has no index");
    builder(*this).run();
}

json_kind text_index::kind(position at) const
{
    switch (text_[nodes_[at].begin]) {
    case '{': return json_kind::object;
    case '[': return json_kind::list;
    case '"': return json_kind::string;
    case 't':
    case 'f':
    case 'n': return json_kind::word;
    default: return json_kind::number;
    }
}

bool text_index::same(const text_index& a, position at, const text_index& b, position other)
{
    return a.nodes_[at].hash == b.nodes_[other].hash && a.text(at) == b.text(other);
}

bool text_index::before(const text_index& a, position at, const text_index& b, position other)
{
    const auto key = [](const text_index& index, position of) {
        const auto text = index.text(of);
        return std::tuple(index.nodes_[of].hash, text.size(), text);
    };
    return key(a, at) < key(b, other);
}

}    // namespace caisson
