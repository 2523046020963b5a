#pragma once

#include <boost/json/basic_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A handler for boost::json::basic_parser that writes the canonical form. It writes values in source order and notes the objects whose
/// members are not sorted. finished() sorts them in one pass, so that each byte is copied at most twice, at any depth.
class canonical_writer {
public:
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;
    using text = boost::json::string_view;
    using ec_ref = boost::json::error_code&;

    /// Starts anew, for a text of `bytes` bytes.
    void reset(std::size_t bytes);
    /// Call after a complete document. Its canonical form, valid until reset().
    std::string_view finished();
    /// The current place in the document as a JSON Pointer, such as "/messages/3/role"; shortened if long.
    std::string place() const;
    /// Why the writer refused the document; empty if it did not.
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
    bool on_number_part(text, ec_ref) { return true; }    // only called for input in pieces
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
        std::size_t name_end = 0;      // after the closing quote
        std::size_t first_note = 0;    // index of the first note within the value
        bool escaped = false;          // the name has escapes
    };
    /// An open object or list.
    struct frame {
        bool object = false;
        bool in_order = true;            // of an object: sorted so far
        bool awaits_value = false;       // of an object: after a name
        std::size_t children = 0;        // begun so far
        std::size_t first_member = 0;    // index in open_
        std::size_t note = 0;            // of an object: index in notes_
    };
    /// An object that is unsorted or may contain unsorted ones.
    struct note {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t first_member = 0;    // index in moved_, sorted
        std::size_t members = 0;         // 0: the object itself is sorted
        std::size_t next = 0;            // index of the first note after the object
    };

    void before_value();
    bool open(char bracket, bool object);
    bool scalar(text literal);
    bool string_part(text part);
    bool name_part(text part);
    void end_member(const frame& within);
    std::string_view name_of(const member& member) const;
    bool comes_before(const member& a, const member& b) const;
    bool sort_members(const frame& object, ec_ref failure);
    void emit(std::size_t begin, std::size_t end, std::size_t note);

    std::string out_;       // in source order
    std::string sorted_;    // in canonical order
    std::vector<frame> frames_;
    std::vector<member> open_;     // of open objects
    std::vector<member> moved_;    // of unsorted objects
    std::vector<note> notes_;      // ordered by `begin`
    std::string refusal_;
    bool in_name_ = false;
    bool in_string_ = false;
    bool any_moved_ = false;
};

/// `pointer` for a message: shortened in the middle if long.
std::string shown_pointer(std::string_view pointer);

}    // namespace caisson
