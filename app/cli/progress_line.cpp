#include "app/cli/progress_line.hpp"

#include "app/cli/quantities.hpp"
#include "app/cli/text_table.hpp"

#include <unistd.h>

#include <cstdio>

namespace caisson::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto first_after = 500ms;
constexpr auto every = 100ms;
constexpr std::size_t widest = 60;

}    // namespace

progress_line::progress_line() : enabled_(::isatty(STDERR_FILENO) == 1), next_(clock::now() + first_after) { }

void progress_line::show(const std::string& what, std::uint64_t done_bytes, std::uint64_t total_bytes)
{
    if (!enabled_ || clock::now() < next_)
        return;
    next_ = clock::now() + every;
    shown_ = true;
    auto line = "\r\x1b[K" + one_line(what, widest) + " " + show_bytes(static_cast<std::int64_t>(done_bytes));
    if (total_bytes > 0)
        line += " of " + show_bytes(static_cast<std::int64_t>(total_bytes));
    std::fputs(line.c_str(), stderr);
}

void progress_line::clear()
{
    if (std::exchange(shown_, false))
        std::fputs("\r\x1b[K", stderr);
}

}    // namespace caisson::cli
