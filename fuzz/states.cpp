/// States of threads: any text is refused or has one canonical form, a diff of two states applies, and so does, or is refused, any patch.
#include "core/base/utf8.hpp"
#include "core/threads/json_patch.hpp"
#include "core/threads/state_text.hpp"
#include "fuzz/fuzz.hpp"

#include <string>

namespace {

using namespace caisson;

constexpr state_bounds bounds{.max_bytes = 4'096, .max_depth = 12};
constexpr state_bounds patch_form{.max_bytes = 1 << 16, .max_depth = 14};    // of a patch that holds any state

/// The canonical form of `text`, empty if it is refused.
std::string canonical_form(std::string_view text, const state_bounds& within = bounds)
{
    state_canonicalizer canonicalizer(within);
    const auto form = canonicalizer.canonical(text);
    if (form.has_error()) {
        FUZZ_CHECK(!form.error().detail.empty() && is_utf8(form.error().detail));
        return {};
    }
    FUZZ_CHECK(is_utf8(*form) && form->size() <= text.size());
    return std::string(*form);
}

void check_diff(std::string_view from, std::string_view to, diff_bounds within)
{
    const auto patch = diff_states(from, to, within);
    FUZZ_CHECK(canonical_form(patch, patch_form) == patch);
    FUZZ_CHECK(patch.size() <= to.size() + within.spare_bytes + 64);
    FUZZ_CHECK(apply_patch(from, patch).value() == to);
}

void check_patch(std::string_view state, std::string_view patch)
{
    const auto made = apply_patch(state, patch, {.max_bytes = bounds.max_bytes, .max_depth = bounds.max_depth});
    if (made.has_error())
        FUZZ_CHECK(is_utf8(made.error().detail));
    else
        FUZZ_CHECK(canonical_form(*made) == *made);
}

}    // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const auto steer = in.byte();
    const auto middle = in.rest().find('\n');    // two texts
    const auto from = canonical_form(in.rest().substr(0, middle));
    const auto second = middle == std::string_view::npos ? std::string_view() : in.rest().substr(middle + 1);
    if (from.empty())
        return 0;
    FUZZ_CHECK(canonical_form(from) == from);
    if (const auto to = canonical_form(second); !to.empty())
        check_diff(from, to, {.max_operations = steer % 16U + 1U, .max_steps = steer, .spare_bytes = steer & 0x80U ? 1'024U : 0U});
    check_patch(from, second);
    return 0;
}
