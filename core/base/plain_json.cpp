#include "core/base/plain_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <string_view>

namespace caisson {

namespace {

namespace json = boost::json;

class writer {
public:
    explicit writer(std::size_t limit) : limit_(limit) { }

    void put(const json::value& value)
    {
        if (text_.size() > limit_)
            return;
        if (value.is_double())
            text_ += plain_number(value.get_double());
        else if (value.is_array())
            put(value.get_array());
        else if (value.is_object())
            put(value.get_object());
        else
            text_ += json::serialize(value);
    }

    std::string take() { return std::move(text_); }

private:
    void put(const json::array& items)
    {
        text_ += '[';
        for (std::size_t i = 0; i < items.size() && text_.size() <= limit_; ++i) {
            text_ += i == 0 ? "" : ",";
            put(items[i]);
        }
        text_ += ']';
    }

    void put(const json::object& members)
    {
        text_ += '{';
        bool is_first = true;
        for (const auto& member : members) {
            if (text_.size() > limit_)
                break;
            text_ += is_first ? "" : ",";
            is_first = false;
            text_ += json::serialize(json::string(member.key())) + ":";
            put(member.value());
        }
        text_ += '}';
    }

    std::size_t limit_;
    std::string text_;
};

/// A number of the value 0.DIGITS × 10^point.
struct decimal {
    std::string digits;
    int point;    // 1: the decimal point follows the first digit
};

/// The shortest digits of a positive number.
decimal shortest(double number)
{
    std::array<char, 32> room{};
    const auto end = std::to_chars(room.data(), room.data() + room.size(), number, std::chars_format::scientific).ptr;
    const std::string_view text(room.data(), static_cast<std::size_t>(end - room.data()));    // d[.ddd]e±dd
    const auto mark = text.find('e');
    int exponent = 0;
    const auto power = text.substr(mark + (text[mark + 1] == '+' ? 2 : 1));
    std::from_chars(power.data(), power.data() + power.size(), exponent);
    decimal found{std::string(text.substr(0, 1)), exponent + 1};
    if (mark > 2)
        found.digits.append(text.substr(2, mark - 2));
    return found;
}

}    // namespace

std::string plain_number(double number)
{
    constexpr int longest = 21;
    constexpr int smallest = -6;
    if (number == 0)
        return "0";
    if (number < 0)
        return "-" + plain_number(-number);
    const auto [digits, point] = shortest(number);
    const auto count = static_cast<int>(digits.size());
    if (count <= point && point <= longest)
        return digits + std::string(static_cast<std::size_t>(point - count), '0');
    if (0 < point && point <= longest)
        return digits.substr(0, static_cast<std::size_t>(point)) + "." + digits.substr(static_cast<std::size_t>(point));
    if (smallest < point && point <= 0)
        return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    const auto exponent = std::string(point > 0 ? "e+" : "e-") + std::to_string(point > 0 ? point - 1 : 1 - point);
    return digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + exponent;
}

std::string plain_json(const json::value& value, std::size_t limit)
{
    writer out(limit);
    out.put(value);
    return out.take();
}

}    // namespace caisson
