#include "app/wire/request_reader.hpp"
#include "core/languages/json_text.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <unordered_set>

namespace caisson::wire {

namespace json = boost::json;

namespace {

/// Builds a value. Unlike a plain parser it refuses duplicate names and too many values, and builds a null for a skipped member.
class strict_handler {
public:
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();
    using ec_ref = json::error_code&;

    explicit strict_handler(json_bounds bounds) : bounds_(bounds) { stack_.reset(); }

    json::value release() { return stack_.release(); }
    /// Why the handler refused the text; empty if it did not.
    const std::string& reason() const { return reason_; }

    bool on_document_begin(ec_ref) { return true; }
    bool on_document_end(ec_ref) { return true; }
    bool on_comment_part(json::string_view, ec_ref) { return true; }
    bool on_comment(json::string_view, ec_ref) { return true; }
    bool on_number_part(json::string_view, ec_ref) { return true; }
    bool on_object_begin(ec_ref ec)
    {
        if (!passing_over())
            names_.emplace_back();
        return open(ec);
    }
    bool on_object_end(std::size_t size, ec_ref ec)
    {
        if (close())
            return true;
        names_.pop_back();
        stack_.push_object(size);
        return count(ec);
    }
    bool on_array_begin(ec_ref ec) { return open(ec); }
    bool on_array_end(std::size_t size, ec_ref ec)
    {
        if (close())
            return true;
        stack_.push_array(size);
        return count(ec);
    }
    bool on_key_part(json::string_view part, std::size_t, ec_ref)
    {
        if (passing_over())
            return true;
        name_.append(part.data(), part.size());
        stack_.push_chars(part);
        return true;
    }
    bool on_key(json::string_view part, std::size_t, ec_ref ec)
    {
        if (passing_over())
            return true;
        name_.append(part.data(), part.size());
        stack_.push_key(part);
        const bool fresh = names_.back().insert(name_).second;
        if (!fresh)
            refuse("\"" + name_.substr(0, 64) + "\" is given twice", ec);
        if (depth_ == bounds_.passed_depth && name_ == bounds_.passed_name)
            passed_at_ = depth_;
        name_.clear();
        return fresh;
    }
    bool on_string_part(json::string_view part, std::size_t, ec_ref)
    {
        if (!passing_over())
            stack_.push_chars(part);
        return true;
    }
    bool on_string(json::string_view part, std::size_t, ec_ref ec)
    {
        return scalar(ec, [&] { stack_.push_string(part); });
    }
    bool on_int64(std::int64_t number, json::string_view, ec_ref ec)
    {
        return scalar(ec, [&] { stack_.push_int64(number); });
    }
    bool on_uint64(std::uint64_t number, json::string_view, ec_ref ec)
    {
        return scalar(ec, [&] { stack_.push_uint64(number); });
    }
    bool on_double(double number, json::string_view, ec_ref ec)
    {
        return scalar(ec, [&] { stack_.push_double(number); });
    }
    bool on_bool(bool value, ec_ref ec)
    {
        return scalar(ec, [&] { stack_.push_bool(value); });
    }
    bool on_null(ec_ref ec)
    {
        return scalar(ec, [&] { stack_.push_null(); });
    }

private:
    bool passing_over() const { return passed_at_ != 0; }
    bool open(ec_ref ec)
    {
        const auto base = passed_at_;
        const auto most = passing_over() ? bounds_.max_passed_depth : bounds_.max_depth;
        if (++depth_ - base <= most)
            return true;
        refuse((base != 0 ? std::string(bounds_.passed_name) : "it") + " is nested more than " + std::to_string(most) + " levels", ec);
        return false;
    }
    /// True if the closing value is skipped.
    bool close()
    {
        --depth_;
        if (!passing_over())
            return false;
        end_of_passed();
        return true;
    }
    /// Builds the null if the value of the skipped member has ended.
    void end_of_passed()
    {
        if (depth_ != passed_at_)
            return;
        passed_at_ = 0;
        stack_.push_null();
    }
    template <class Push>
    bool scalar(ec_ref ec, Push push)
    {
        if (passing_over()) {
            end_of_passed();
            return true;
        }
        push();
        return count(ec);
    }
    bool count(ec_ref ec)
    {
        if (++values_ <= bounds_.max_values)
            return true;
        refuse("it has more than " + std::to_string(bounds_.max_values) + " values", ec);
        return false;
    }
    void refuse(std::string why, ec_ref ec)
    {
        reason_ = std::move(why);
        ec = json::error::syntax;    // any error stops the parser; reason_ is reported
    }

    json_bounds bounds_;
    json::value_stack stack_;
    std::size_t values_ = 0;
    std::size_t depth_ = 0;
    std::size_t passed_at_ = 0;                             // depth of the object with the skipped member; 0: not skipping
    std::vector<std::unordered_set<std::string>> names_;    // names in each open object
    std::string name_;
    std::string reason_;
};

error malformed(const std::string& reason, std::string_view text, std::size_t offset)
{
    const auto what = reason + " at " + json_position(text, offset);
    return {errc::bad_request, "invalid JSON body: " + what, {{"body", "is not valid JSON: " + what}}};
}

}    // namespace

json_bounds with_input_at(std::size_t depth)
{
    json_bounds bounds;
    bounds.passed_depth = depth;
    bounds.passed_name = "input";
    return bounds;
}

result<json::object> parse_json_object(std::string_view text, json_bounds bounds)
{
    if (text.size() > bounds.max_bytes)
        return error{errc::too_large, "the body has more than " + std::to_string(bounds.max_bytes) + " bytes",
            {{"body", "must be at most " + std::to_string(bounds.max_bytes) + " bytes long"}}};
    json::parse_options options;
    options.max_depth = bounds.max_depth + bounds.max_passed_depth + 1;    // the handler's limits are lower
    json::basic_parser<strict_handler> parser(options, bounds);
    json::error_code failure;
    const auto consumed = parser.write_some(false, text.data(), text.size(), failure);
    if (!failure && consumed < text.size())
        failure = json::error::extra_data;
    if (failure) {
        const auto& own = parser.handler().reason();
        return malformed(own.empty() ? json_failure(failure, text, consumed) : own, text, consumed);
    }
    auto value = parser.handler().release();
    if (!value.is_object())
        return error{errc::bad_request, "invalid JSON body: it must be an object", {{"body", "must be a JSON object"}}};
    return std::move(value.get_object());
}

}    // namespace caisson::wire
