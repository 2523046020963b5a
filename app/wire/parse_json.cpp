#include "app/wire/request_reader.hpp"
#include "core/base/utf8.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <unordered_set>

namespace caisson::wire {

namespace json = boost::json;

namespace {

/// Builds a value and refuses what a plain parser lets pass: a name given twice, and too many values.
struct strict_handler {
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();
    using ec_ref = json::error_code&;

    explicit strict_handler(std::size_t max_values) : values_left(max_values) { stack.reset(); }

    bool on_document_begin(ec_ref) { return true; }
    bool on_document_end(ec_ref) { return true; }
    bool on_comment_part(json::string_view, ec_ref) { return true; }
    bool on_comment(json::string_view, ec_ref) { return true; }
    bool on_number_part(json::string_view, ec_ref) { return true; }
    bool on_object_begin(ec_ref ec)
    {
        names.emplace_back();
        return count(ec);
    }
    bool on_object_end(std::size_t size, ec_ref)
    {
        names.pop_back();
        stack.push_object(size);
        return true;
    }
    bool on_array_begin(ec_ref ec) { return count(ec); }
    bool on_array_end(std::size_t size, ec_ref)
    {
        stack.push_array(size);
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t, ec_ref)
    {
        name.append(part.data(), part.size());
        stack.push_chars(part);
        return true;
    }
    bool on_key(json::string_view part, std::size_t, ec_ref ec)
    {
        name.append(part.data(), part.size());
        stack.push_key(part);
        const bool fresh = names.back().insert(name).second;
        if (!fresh)
            refuse("\"" + name.substr(0, 64) + "\" is given twice", ec);
        name.clear();
        return fresh;
    }
    bool on_string_part(json::string_view part, std::size_t, ec_ref)
    {
        stack.push_chars(part);
        return true;
    }
    bool on_string(json::string_view part, std::size_t, ec_ref ec)
    {
        stack.push_string(part);
        return count(ec);
    }
    bool on_int64(std::int64_t number, json::string_view, ec_ref ec)
    {
        stack.push_int64(number);
        return count(ec);
    }
    bool on_uint64(std::uint64_t number, json::string_view, ec_ref ec)
    {
        stack.push_uint64(number);
        return count(ec);
    }
    bool on_double(double number, json::string_view, ec_ref ec)
    {
        stack.push_double(number);
        return count(ec);
    }
    bool on_bool(bool value, ec_ref ec)
    {
        stack.push_bool(value);
        return count(ec);
    }
    bool on_null(ec_ref ec)
    {
        stack.push_null();
        return count(ec);
    }

    bool count(ec_ref ec)
    {
        if (values_left-- > 0)
            return true;
        refuse("it has too many values", ec);
        return false;
    }
    void refuse(std::string why, ec_ref ec)
    {
        reason = std::move(why);
        ec = json::error::syntax;    // any error stops the parser; the reason is what is told
    }

    json::value_stack stack;
    std::size_t values_left;
    std::vector<std::unordered_set<std::string>> names;    // of each open object
    std::string name;
    std::string reason;
};

std::string place_of(std::string_view text, std::size_t offset)
{
    const auto before = text.substr(0, offset);
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto column = offset - (before.rfind('\n') + 1) + 1;    // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Whether the text is ill-formed within the first `offset` bytes or at the character there.
bool broken_utf8_at(std::string_view text, std::size_t offset)
{
    auto part = text.substr(0, offset + 4);
    if (part.size() < text.size())
        part.remove_suffix(incomplete_utf8_tail(part));
    return !is_utf8(part);
}

std::string reason_of(const json::error_code& failure, std::string_view text, std::size_t offset)
{
    if (broken_utf8_at(text, offset))
        return "it is not UTF-8";
    if (failure == json::error::incomplete)
        return text.empty() ? "it is empty" : "it ends too early";
    if (failure == json::error::too_deep)
        return "it is nested too deeply";
    if (failure == json::error::extra_data)
        return "something follows its end";
    return failure == json::error::syntax ? "syntax error" : failure.message();
}

error malformed(const std::string& reason, std::string_view text, std::size_t offset)
{
    auto sentence = "is not valid JSON: " + reason + " at " + place_of(text, offset);
    return {errc::bad_request, "the body " + sentence, {{"body", sentence}}};
}

}    // namespace

result<json::object> parse_json_object(std::string_view text, json_bounds bounds)
{
    if (text.size() > bounds.max_bytes)
        return error{errc::too_large, "the body has more than " + std::to_string(bounds.max_bytes) + " bytes",
            {{"body", "must be at most " + std::to_string(bounds.max_bytes) + " bytes long"}}};
    json::parse_options options;
    options.max_depth = bounds.max_depth;
    json::basic_parser<strict_handler> parser(options, bounds.max_values);
    json::error_code failure;
    const auto consumed = parser.write_some(false, text.data(), text.size(), failure);
    if (!failure && consumed < text.size())
        failure = json::error::extra_data;
    if (failure) {
        const auto& own = parser.handler().reason;
        return malformed(own.empty() ? reason_of(failure, text, consumed) : own, text, consumed);
    }
    auto value = parser.handler().stack.release();
    if (!value.is_object())
        return error{errc::bad_request, "the body must be a JSON object", {{"body", "must be a JSON object"}}};
    return std::move(value.get_object());
}

}    // namespace caisson::wire
