#pragma once

#include "core/base/clock.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// True if `text` is `prefix` followed by 26 characters of lower-case Crockford base32.
bool is_well_formed_id(std::string_view prefix, std::string_view text);

/// An opaque, time-ordered name such as "exe_01jd2c…": comparing two of one kind compares their times of creation.
template <class Tag>
class basic_id {
public:
    basic_id() = default;    // empty: names nothing

    /// Nothing if `text` has another prefix or is malformed.
    static std::optional<basic_id> parse(std::string_view text)
    {
        if (!is_well_formed_id(Tag::prefix, text))
            return std::nullopt;
        return basic_id(std::string(text));
    }
    static basic_id from_trusted(std::string text) { return basic_id(std::move(text)); }

    const std::string& str() const { return text_; }
    bool empty() const { return text_.empty(); }
    auto operator<=>(const basic_id&) const = default;

private:
    explicit basic_id(std::string text) : text_(std::move(text)) { }
    std::string text_;
};

struct tenant_tag {
    static constexpr std::string_view prefix = "ten_";
};
struct key_tag {
    static constexpr std::string_view prefix = "key_";
};
struct sandbox_tag {
    static constexpr std::string_view prefix = "sbx_";
};
struct execution_tag {
    static constexpr std::string_view prefix = "exe_";
};
struct content_tag {
    static constexpr std::string_view prefix = "cnt_";
};
struct delivery_tag {
    static constexpr std::string_view prefix = "dlv_";
};
using tenant_id = basic_id<tenant_tag>;
using key_id = basic_id<key_tag>;
using sandbox_id = basic_id<sandbox_tag>;
using execution_id = basic_id<execution_tag>;
using content_id = basic_id<content_tag>;
using delivery_id = basic_id<delivery_tag>;

/// Makes ids: 48 bits of Unix milliseconds, then 80 random bits that count up within one millisecond, so that ids made by
/// one factory strictly increase, also when the clock steps back. One thread.
class id_factory {
public:
    explicit id_factory(const clock& time);

    template <class Id>
    Id make();

private:
    std::string next(std::string_view prefix);
    const clock& time_;
    std::array<std::uint8_t, 16> last_{};
};

template <class Id>
struct id_tag;
template <class Tag>
struct id_tag<basic_id<Tag>> {
    using type = Tag;
};

template <class Id>
Id id_factory::make()
{
    return Id::from_trusted(next(id_tag<Id>::type::prefix));
}

}    // namespace caisson

template <class Tag>
struct std::hash<caisson::basic_id<Tag>> {
    std::size_t operator()(const caisson::basic_id<Tag>& id) const noexcept { return std::hash<std::string>{}(id.str()); }
};
