#pragma once

#include <boost/json/basic_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Hears a parser of JSON and writes the canonical form. What comes is written in its order; objects whose members are not in theirs
/// are noted, and put right in one go at the end, so that each byte is copied twice at most however deep it lies.
class canonical_writer {
public:
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;
    using text = boost::json::string_view;
    using ec_ref = boost::json::error_code&;

    /// Begins anew, for a text of `bytes`.
    void reset(std::size_t bytes);
    /// After a whole document: its canonical form, valid until reset().
    std::string_view finished();
    /// Where in the document the writer is, as a JSON Pointer: "/messages/3/role"; shortened if it is long.
    std::string place() const;
    /// What the document itself is refused for; empty if it is not.
    const std::string& refusal() const { return refusal_; }

    bool on_document_begin(ec_ref) { return true; }
    bool on_document_end(ec_ref) { return true; }
    bool on_object_begin(ec_ref) { return open('{', true); }
    bool on_object_end(std::size_t, ec_ref failure);
    bool on_array_begin(ec_ref) { return open('[', false); }
    bool on_array_end(std::size_t, ec_ref);
    bool on_key_part(text part, std::size_t, ec_ref) { return name_part(part); }
    bool on_key(text part, std::size_t, ec_ref);
    bool on_string_part(text part, std::size_t, ec_ref) { return string_part(part); }
    bool on_string(text part, std::size_t, ec_ref);
    bool on_number_part(text, ec_ref) { return true; }    // only of a text that comes in pieces
    bool on_int64(std::int64_t, text literal, ec_ref) { return scalar(literal); }
    bool on_uint64(std::uint64_t, text literal, ec_ref) { return scalar(literal); }
    bool on_double(double, text literal, ec_ref) { return scalar(literal); }
    bool on_bool(bool value, ec_ref) { return scalar(value ? "true" : "false"); }
    bool on_null(ec_ref) { return scalar("null"); }
    bool on_comment_part(text, ec_ref) { return true; }
    bool on_comment(text, ec_ref) { return true; }

private:
    /// A member of an object: `"name":value` lies from `begin` to `end` of out_.
    struct member {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t name_end = 0;      // behind the closing quote
        std::size_t first_note = 0;    // of what lies within
        bool escaped = false;          // its name has escapes
    };
    /// An object or a list that has begun.
    struct frame {
        bool object = false;
        bool in_order = true;            // of an object: the names so far
        bool awaits_value = false;       // of an object: a name was read
        std::size_t children = 0;        // that have begun
        std::size_t first_member = 0;    // in open_
        std::size_t note = 0;            // of an object, in notes_
    };
    /// An object that is out of order, or that may have such ones within.
    struct note {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t first_member = 0;    // in moved_, in order
        std::size_t members = 0;         // 0: it is in order itself
        std::size_t next = 0;            // the first note that lies behind it
    };

    void before_value();
    bool open(char bracket, bool object);
    bool scalar(text literal);
    bool string_part(text part);
    bool name_part(text part);
    void end_member(const frame& within);
    std::string_view name_of(const member& one) const;
    bool comes_before(const member& a, const member& b) const;
    bool sort_members(const frame& object, ec_ref failure);
    void emit(std::size_t begin, std::size_t end, std::size_t note);

    std::string out_;       // in the order of the source
    std::string sorted_;    // in its own
    std::vector<frame> frames_;
    std::vector<member> open_;     // of objects that have not ended
    std::vector<member> moved_;    // of objects out of order
    std::vector<note> notes_;      // in the order of their begin
    std::string refusal_;
    bool in_name_ = false;
    bool in_string_ = false;
    bool any_moved_ = false;
};

/// `pointer` as it may stand in a message: shortened in its middle.
std::string shown_pointer(std::string_view pointer);

}    // namespace caisson
