#include "app/cli/progress_line.hpp"

#include "app/cli/quantities.hpp"
#include "app/cli/terminal.hpp"
#include "app/cli/text_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace caisson::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto first_after = 500ms;
constexpr auto every = 100ms;
constexpr std::size_t least_head = 8;

bool can_rewrite()
{
    const char* const kind = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t columns()
{
    // The last column stays free: some terminals wrap when it is written.
    return static_cast<std::size_t>(std::max(window_of(STDERR_FILENO).value_or(window_size()).cols - 1, 10));
}

}    // namespace

std::string fitted(const std::string& head, const std::string& tail, std::size_t columns)
{
    const auto left = columns > tail.size() + least_head ? columns - tail.size() : least_head;
    return one_line(one_line(head, left) + tail, columns);
}

progress_line::progress_line(bool quiet) : enabled_(!quiet && can_rewrite()), next_(clock::now() + first_after) { }

void progress_line::show(const std::string& text)
{
    if (!enabled_)
        return;
    shown_ = true;
    const auto line = "\r\x1b[K" + fitted(text, "", columns());
    std::fputs(line.c_str(), stderr);
}

void progress_line::show_bytes(const std::string& what, std::uint64_t done_bytes, std::uint64_t total_bytes)
{
    if (!enabled_ || clock::now() < next_)
        return;
    next_ = clock::now() + every;
    auto tail = " " + cli::show_bytes(static_cast<std::int64_t>(done_bytes));
    if (total_bytes > 0)
        tail += " of " + cli::show_bytes(static_cast<std::int64_t>(total_bytes));
    show(fitted(what, tail, columns()));
}

void progress_line::clear()
{
    if (std::exchange(shown_, false))
        std::fputs("\r\x1b[K", stderr);
}

}    // namespace caisson::cli
