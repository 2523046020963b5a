#pragma once

#include "core/base/error.hpp"
#include "core/threads/gap_list.hpp"
#include "core/threads/text_index.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A value of a state being patched: a reference into a text, or opened into parts that can be changed.
class patch_value {
public:
    struct member;
    struct parts;

    /// `index` and its text must outlive the value.
    patch_value(const text_index& index, text_index::position at);
    ~patch_value();
    patch_value(patch_value&&) noexcept;
    patch_value& operator=(patch_value&&) noexcept;

    json_kind kind() const { return index_->kind(at_); }
    const text_index& index() const { return *index_; }
    text_index::position at() const { return at_; }
    /// Null until open().
    const parts* opened() const { return parts_.get(); }
    parts* opened() { return parts_.get(); }
    void open(std::unique_ptr<parts> with);

private:
    const text_index* index_;
    text_index::position at_;
    std::unique_ptr<parts> parts_;
};

struct patch_value::member {
    std::string_view name;    // with quotes; empty for an element of a list
    patch_value value;
};

/// The members of an object, sorted by name, or the elements of a list.
struct patch_value::parts {
    bool object = false;
    gap_list<member> list;
};

inline patch_value::patch_value(const text_index& index, text_index::position at) : index_(&index), at_(at) { }
inline patch_value::~patch_value() = default;
inline patch_value::patch_value(patch_value&&) noexcept = default;
inline patch_value& patch_value::operator=(patch_value&&) noexcept = default;
inline void patch_value::open(std::unique_ptr<parts> with) { parts_ = std::move(with); }

/// A state to which the operations of a patch are applied. Counts the cost in steps, so that a patch cannot exceed its time bound. Errors
/// have phrases that follow the operation's name.
class patch_target {
public:
    using tokens = std::vector<std::string>;

    patch_target(patch_value state, std::size_t max_depth, std::size_t max_steps)
        : state_(std::move(state)), max_depth_(max_depth), steps_left_(max_steps)
    {
    }

    // Errors of the operations: errc::conflict if the target or its parent does not exist; errc::too_large beyond a bound.

    result<void> add(const tokens& path, patch_value value);
    result<void> replace(const tokens& path, patch_value value);
    /// Also errc::bad_request for the whole state.
    result<patch_value> take(const tokens& path);
    result<patch_value> copy(const tokens& path);
    /// Compares numbers by value.
    result<bool> equals(const tokens& path, const patch_value& value);
    /// The canonical text of the state. Errors: errc::too_large if it is longer than `max_bytes`.
    result<std::string> text(std::size_t max_bytes) const;

private:
    /// The place that the last token of a path names.
    struct spot {
        patch_value::parts* in = nullptr;
        std::size_t at = 0;
        bool taken = false;    // a member or element is there; else one can be inserted
    };

    result<spot> spot_of(const tokens& path);
    result<spot> spot_in(patch_value& value, const std::string& token);
    result<patch_value*> find(const tokens& path);
    result<patch_value::parts*> open(patch_value& value);
    result<void> check_depth(std::size_t above, const patch_value& value);
    std::size_t height(const patch_value& value);
    patch_value clone(const patch_value& value);
    void spend(std::size_t steps) { steps_left_ -= std::min(steps, steps_left_); }
    result<void> check_steps() const;
    std::string_view keep(std::string name);

    patch_value state_;
    std::size_t max_depth_;
    std::size_t steps_left_;
    std::vector<std::unique_ptr<std::string>> names_;    // of added members
};

}    // namespace caisson
