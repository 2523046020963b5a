#include "core/threads/canonical_writer.hpp"

#include "core/base/utf8.hpp"
#include "core/threads/json_pointer.hpp"
#include "core/threads/json_string.hpp"

#include <algorithm>

namespace caisson {

namespace json = boost::json;

namespace {

constexpr std::size_t max_shown_bytes = 200;

std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

}    // namespace

void canonical_writer::reset(std::size_t bytes)
{
    out_.clear();
    out_.reserve(bytes + 1);    // the colon after a name is written before it is read
    sorted_.clear();
    frames_.clear();
    open_.clear();
    moved_.clear();
    notes_.clear();
    refusal_.clear();
    in_name_ = in_string_ = any_moved_ = false;
}

std::string_view canonical_writer::finished()
{
    if (!any_moved_)
        return out_;
    sorted_.reserve(out_.size());
    emit(0, out_.size(), 0);
    return sorted_;
}

/// Copies a part of out_ to sorted_. `note` is the index of the first note at or after `begin`.
void canonical_writer::emit(std::size_t begin, std::size_t end, std::size_t note)
{
    while (note < notes_.size() && notes_[note].begin < end) {
        const auto& object = notes_[note];
        if (object.members == 0) {
            ++note;    // nested objects may be unsorted
            continue;
        }
        sorted_.append(out_, begin, object.begin + 1 - begin);
        for (std::size_t i = 0; i < object.members; ++i) {
            const auto& each = moved_[object.first_member + i];
            if (i > 0)
                sorted_ += ',';
            emit(each.begin, each.end, each.first_note);
        }
        begin = object.end - 1;
        note = object.next;
    }
    sorted_.append(out_, begin, end - begin);
}

void canonical_writer::before_value()
{
    if (frames_.empty())
        return;
    auto& within = frames_.back();
    within.awaits_value = false;
    if (!within.object && within.children++ > 0)
        out_ += ',';
}

bool canonical_writer::open(char bracket, bool object)
{
    before_value();
    frame begun;
    begun.object = object;
    begun.first_member = open_.size();
    begun.note = notes_.size();
    frames_.push_back(begun);
    if (object)
        notes_.push_back({.begin = out_.size()});
    out_ += bracket;
    return true;
}

bool canonical_writer::on_array_end(std::size_t, ec_ref)
{
    frames_.pop_back();
    out_ += ']';
    return true;
}

bool canonical_writer::on_object_end(std::size_t, ec_ref failure)
{
    const auto& object = frames_.back();
    end_member(object);
    if (!object.in_order && !sort_members(object, failure))
        return false;
    out_ += '}';
    auto& noted = notes_[object.note];
    noted.end = out_.size();
    noted.next = notes_.size();
    if (object.in_order && noted.next == object.note + 1)
        notes_.pop_back();    // the object and all within it are sorted
    open_.resize(object.first_member);
    frames_.pop_back();
    return true;
}

/// Copies the members of a closing object to moved_, sorted.
bool canonical_writer::sort_members(const frame& object, ec_ref failure)
{
    const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(object.first_member);
    std::sort(begin, open_.end(), [this](const member& a, const member& b) { return comes_before(a, b); });
    const auto same = std::adjacent_find(begin, open_.end(), [this](const member& a, const member& b) { return name_of(a) == name_of(b); });
    if (same != open_.end()) {
        refusal_ = "has the name " + shown_pointer(name_of(*same)) + " twice in one object";
        failure = json::make_error_code(json::error::syntax);
        return false;
    }
    auto& noted = notes_[object.note];
    noted.first_member = moved_.size();
    noted.members = static_cast<std::size_t>(open_.end() - begin);
    moved_.insert(moved_.end(), begin, open_.end());
    any_moved_ = true;
    return true;
}

bool canonical_writer::name_part(text part)
{
    auto& within = frames_.back();
    if (!in_name_) {
        in_name_ = true;
        end_member(within);
        if (within.children++ > 0)
            out_ += ',';
        open_.push_back({.begin = out_.size(), .first_note = notes_.size()});
        out_ += '"';
    }
    open_.back().escaped |= append_escaped(out_, view(part));
    return true;
}

bool canonical_writer::on_key(text part, std::size_t, ec_ref)
{
    name_part(part);
    in_name_ = false;
    out_ += '"';
    open_.back().name_end = out_.size();
    out_ += ':';
    auto& within = frames_.back();
    within.awaits_value = true;
    if (within.children > 1 && within.in_order)
        within.in_order = comes_before(open_[open_.size() - 2], open_.back());
    return true;
}

void canonical_writer::end_member(const frame& within)
{
    if (within.children > 0)
        open_.back().end = out_.size();
}

bool canonical_writer::string_part(text part)
{
    if (!in_string_) {
        before_value();
        in_string_ = true;
        out_ += '"';
    }
    append_escaped(out_, view(part));
    return true;
}

bool canonical_writer::on_string(text part, std::size_t, ec_ref)
{
    string_part(part);
    in_string_ = false;
    out_ += '"';
    return true;
}

bool canonical_writer::scalar(text literal)
{
    before_value();
    out_.append(literal.data(), literal.size());
    return true;
}

std::string_view canonical_writer::name_of(const member& member) const
{
    return std::string_view(out_).substr(member.begin, member.name_end - member.begin);
}

bool canonical_writer::comes_before(const member& a, const member& b) const
{
    if (a.escaped || b.escaped)
        return compare_quoted(name_of(a), name_of(b)) < 0;
    const auto inside = [](std::string_view quoted) { return quoted.substr(1, quoted.size() - 2); };
    return inside(name_of(a)) < inside(name_of(b));
}

std::string canonical_writer::place() const
{
    std::string pointer;
    std::size_t name = 0;    // index in open_ of the current member
    for (std::size_t depth = 0; depth < frames_.size(); ++depth) {
        const auto& each = frames_[depth];
        const bool innermost = depth + 1 == frames_.size();
        if (!each.object) {
            append_index(pointer, each.children - (innermost && !in_string_ ? 0 : 1));
            continue;
        }
        if (innermost && !each.awaits_value && !in_string_)
            break;
        const auto next = innermost ? open_.size() : frames_[depth + 1].first_member;
        name = next - 1;
        append_name(pointer, name_of(open_[name]));
    }
    return shown_pointer(pointer);
}

std::string shown_pointer(std::string_view pointer)
{
    if (pointer.size() <= max_shown_bytes)
        return std::string(pointer);
    auto head = pointer.substr(0, max_shown_bytes / 2);
    head.remove_suffix(incomplete_utf8_tail(head));
    auto tail = pointer.substr(pointer.size() - max_shown_bytes / 2);
    while (!tail.empty() && (static_cast<unsigned char>(tail.front()) & 0xc0) == 0x80)
        tail.remove_prefix(1);
    return std::string(head).append("…").append(tail);
}

}    // namespace caisson
