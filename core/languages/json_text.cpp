#include "core/languages/json_text.hpp"

#include "core/base/utf8.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace caisson {

namespace json = boost::json;

namespace {

/// Accepts all events and stores nothing.
struct checking_handler {
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();
    using ec_ref = json::error_code&;

    bool on_document_begin(ec_ref) { return true; }
    bool on_document_end(ec_ref) { return true; }
    bool on_object_begin(ec_ref) { return true; }
    bool on_object_end(std::size_t, ec_ref) { return true; }
    bool on_array_begin(ec_ref) { return true; }
    bool on_array_end(std::size_t, ec_ref) { return true; }
    bool on_key_part(json::string_view, std::size_t, ec_ref) { return true; }
    bool on_key(json::string_view, std::size_t, ec_ref) { return true; }
    bool on_string_part(json::string_view, std::size_t, ec_ref) { return true; }
    bool on_string(json::string_view, std::size_t, ec_ref) { return true; }
    bool on_number_part(json::string_view, ec_ref) { return true; }
    bool on_int64(std::int64_t, json::string_view, ec_ref) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, ec_ref) { return true; }
    bool on_double(double, json::string_view, ec_ref) { return true; }
    bool on_bool(bool, ec_ref) { return true; }
    bool on_null(ec_ref) { return true; }
    bool on_comment_part(json::string_view, ec_ref) { return true; }
    bool on_comment(json::string_view, ec_ref) { return true; }
};

/// Whether `text` is invalid UTF-8 up to and including the character at `offset`.
bool broken_utf8_at(std::string_view text, std::size_t offset)
{
    auto part = text.substr(0, offset + 4);
    if (part.size() < text.size())
        part.remove_suffix(incomplete_utf8_tail(part));
    return !is_utf8(part);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Walks over valid JSON.
class walker {
public:
    explicit walker(std::string_view text) : text_(text) { }

    bool done() const { return at_ >= text_.size(); }
    char peek() const { return done() ? '\0' : text_[at_]; }
    void step() { ++at_; }
    void space()
    {
        while (!done() && is_space(text_[at_]))
            ++at_;
    }
    std::string_view string()
    {
        const auto from = at_++;
        while (!done() && text_[at_] != '"')
            at_ += text_[at_] == '\\' ? 2 : 1;
        ++at_;
        return text_.substr(from, at_ - from);
    }
    std::string_view value()
    {
        const auto from = at_;
        std::size_t depth = 0;
        while (!done()) {
            const char c = text_[at_];
            if (depth == 0 && at_ > from && (c == ',' || c == '}' || c == ']'))
                break;
            if (c == '"') {
                string();
                continue;
            }
            if (c == '{' || c == '[')
                ++depth;
            else if (c == '}' || c == ']')
                --depth;
            ++at_;
        }
        auto found = text_.substr(from, at_ - from);
        while (!found.empty() && is_space(found.back()))
            found.remove_suffix(1);
        return found;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

bool is_name(std::string_view quoted, std::string_view name)
{
    if (quoted.find('\\') == std::string_view::npos)
        return quoted.substr(1, quoted.size() - 2) == name;
    return json::parse(json::string_view(quoted.data(), quoted.size())).as_string() == json::string_view(name.data(), name.size());
}

}    // namespace

std::string json_position(std::string_view text, std::size_t offset)
{
    const auto before = text.substr(0, offset);
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto column = offset - (before.rfind('\n') + 1) + 1;    // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string json_failure(const boost::system::error_code& failure, std::string_view text, std::size_t offset)
{
    if (broken_utf8_at(text, offset))
        return "it is not UTF-8";
    if (failure == json::error::incomplete)
        return text.empty() ? "it is empty" : "it ends too early";
    if (failure == json::error::too_deep)
        return "it is nested more than " + std::to_string(max_json_depth) + " levels";
    if (failure == json::error::extra_data)
        return "something follows its end";
    return failure == json::error::syntax ? "syntax error" : failure.message();
}

std::string json_problem(std::string_view text)
{
    json::parse_options options;
    options.max_depth = max_json_depth;
    json::basic_parser<checking_handler> parser(options);
    json::error_code failure;
    const auto consumed = parser.write_some(false, text.data(), text.size(), failure);
    if (!failure && consumed < text.size())
        failure = json::error::extra_data;
    return failure ? json_failure(failure, text, consumed) + " at " + json_position(text, consumed) : std::string();
}

std::string_view json_member(std::string_view text, std::string_view name)
{
    walker at(text);
    at.space();
    at.step();    // {
    for (at.space(); !at.done() && at.peek() != '}'; at.space()) {
        const bool found = is_name(at.string(), name);
        at.space();
        at.step();    // :
        at.space();
        const auto value = at.value();
        if (found)
            return value;
        if (at.peek() == ',')
            at.step();
    }
    return {};
}

std::vector<std::string_view> json_elements(std::string_view text)
{
    std::vector<std::string_view> found;
    walker at(text);
    at.space();
    at.step();    // [
    for (at.space(); !at.done() && at.peek() != ']'; at.space()) {
        found.push_back(at.value());
        at.space();
        if (at.peek() == ',')
            at.step();
    }
    return found;
}

}    // namespace caisson
