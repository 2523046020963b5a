#include "app/wire/inline_output.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>

namespace caisson::wire {

namespace {

constexpr std::size_t notice_bytes = 64;        // room for the line about missing bytes
constexpr std::size_t replacement_bytes = 3;    // a byte may be replaced by U+FFFD

/// The bytes before a cut, without a split character at the end.
std::string_view first_part(std::string_view bytes, std::size_t length)
{
    auto part = bytes.substr(0, length);
    part.remove_suffix(incomplete_utf8_tail(part));
    return part;
}

/// The bytes after a cut, without a split character at the start.
std::string_view last_part(std::string_view bytes, std::size_t length)
{
    auto part = bytes.substr(bytes.size() - std::min(length, bytes.size()));
    for (int i = 0; i < 3 && !part.empty() && (static_cast<unsigned char>(part.front()) & 0xc0u) == 0x80u; ++i)
        part.remove_prefix(1);
    return part;
}

}    // namespace

void head_and_tail::append(std::string_view bytes)
{
    if (!head_closed_) {
        const auto fits = std::min(bytes.size(), half() - head_.size());
        head_.append(bytes.substr(0, fits));
        bytes.remove_prefix(fits);
        head_closed_ = head_.size() == half();
    }
    tail_.append(bytes);
    if (tail_.size() > 2 * half()) {
        const auto surplus = tail_.size() - half();
        tail_.erase(0, surplus);
        missing_ += surplus;
    }
}

void head_and_tail::gap(std::uint64_t missing)
{
    missing_ += missing + tail_.size();
    tail_.clear();
    head_closed_ = true;
}

inline_text head_and_tail::finish() const
{
    const auto kept = head_.size() + tail_.size();
    if (missing_ == 0 && kept <= max_bytes_) {
        auto all = head_ + tail_;
        if (is_utf8(all))
            return {std::move(all), false, false};
        if (auto text = to_valid_utf8(all); text.size() <= max_bytes_)
            return {std::move(text), false, true};
    }
    auto out = joined(half(), half() - notice_bytes);
    if (out.text.size() > max_bytes_)
        out = joined(half() / replacement_bytes, (half() - notice_bytes) / replacement_bytes);
    return out;
}

inline_text head_and_tail::joined(std::size_t head_bytes, std::size_t tail_bytes) const
{
    // Without a gap the halves are contiguous, so the tail may begin within the head.
    const auto all = missing_ == 0 ? head_ + tail_ : std::string();
    const auto first = first_part(missing_ == 0 ? std::string_view(all) : head_, head_bytes);
    const auto last = last_part(missing_ == 0 ? std::string_view(all).substr(first.size()) : tail_, tail_bytes);
    const auto missing = head_.size() + missing_ + tail_.size() - first.size() - last.size();
    inline_text out;
    out.truncated = missing > 0;
    out.lossy = !is_utf8(first) || !is_utf8(last);
    out.text = to_valid_utf8(first);
    if (missing > 0)
        out.text += "\n[… " + std::to_string(missing) + " bytes are not shown …]\n";
    out.text += to_valid_utf8(last);
    return out;
}

void inline_output::add(const log_event& event)
{
    const auto to_logs = [this](std::string_view text) { logs_.append(text); };
    auto& stream = event.stream == output_stream::stdout_stream ? stdout_ : stderr_;
    if (event.kind == event_kind::output) {
        stream.append(event.data.view());
        lines_.add(event, to_logs);
    } else if (event.kind == event_kind::truncated) {
        stream.gap(event.missing_bytes);
        lines_.flush(to_logs);
        logs_.gap(event.missing_bytes);
    }
}

inline_texts inline_output::finish()
{
    lines_.flush([this](std::string_view text) { logs_.append(text); });
    return {stdout_.finish(), stderr_.finish(), logs_.finish()};
}

}    // namespace caisson::wire
