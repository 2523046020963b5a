#include "app/agent/collect_writer.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

using namespace protocol;

/// Small records are buffered up to this size.
constexpr std::size_t flush_at = 64 * 1024;
/// Below this size copying is faster than splice(2).
constexpr std::size_t spliced_from = 32 * 1024;
constexpr char hex[] = "0123456789abcdef";

/// Length of the printable UTF-8 character at the front of `text`; 0 if there is none.
std::size_t printable_length(std::string_view text)
{
    if (static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7f)
        return 0;
    for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length)
        if (is_utf8(text.substr(0, length)))
            return length;
    return 0;
}

}    // namespace

std::string printable(std::string_view bytes)
{
    std::string out;
    while (!bytes.empty()) {
        const auto length = printable_length(bytes);
        if (length > 0) {
            out += bytes.substr(0, length);
        } else {
            const auto byte = static_cast<unsigned char>(bytes.front());
            out.append("\\x").append(1, hex[byte >> 4]).append(1, hex[byte & 15]);
        }
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

collect_writer::collect_writer(int out) : out_(collect_magic), descriptor_(out) { out_.reserve(flush_at + max_collect_data); }

collect_writer::collect_writer(in_memory kept) : out_(collect_magic), most_kept_(kept.most_bytes), descriptor_(-1) { }

void collect_writer::write(std::string_view bytes)
{
    while (ok_ && !bytes.empty()) {
        const auto done = ::write(descriptor_, bytes.data(), bytes.size());
        if (done > 0)
            bytes.remove_prefix(static_cast<std::size_t>(done));
        ok_ = done > 0 || (done < 0 && errno == EINTR);
    }
}

void collect_writer::write_what_waits()
{
    if (keeps()) {
        ok_ = ok_ && out_.size() <= most_kept_;
        return;
    }
    write(out_);
    out_.clear();
}

void collect_writer::write_if_much()
{
    if (keeps() || out_.size() >= flush_at)
        write_what_waits();
}

void collect_writer::file(const collected_file& file, int descriptor)
{
    if (keeps() && file.size > most_kept_) {
        ok_ = false;
        return;
    }
    append_file(out_, file);
    source from{descriptor};
    for (auto left = file.size; ok_ && left > 0 && !from.ended;) {
        const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left, max_collect_data));
        append_data_head(out_, bytes);
        data(from, bytes);
        left -= bytes;
        write_if_much();
    }
    if (!from.ended)
        append_end(out_);
    else
        append_cut(out_,
            from.failure != 0 ? std::string("it cannot be read: ") + std::strerror(from.failure) : "it became shorter while it was read");
    write_if_much();
}

/// Writes exactly `bytes` bytes, with zeros for missing ones.
void collect_writer::data(source& from, std::size_t bytes)
{
    if (bytes >= spliced_from && !keeps())
        bytes -= splice(from.descriptor, bytes);
    while (ok_ && bytes > 0) {
        const auto before = out_.size();
        out_.resize(before + bytes);
        const auto got = ::read(from.descriptor, out_.data() + before, bytes);
        if (got < 0 && errno == EINTR) {
            out_.resize(before);
            continue;
        }
        if (got <= 0) {
            from.ended = true;
            from.failure = got < 0 ? errno : 0;
            return;
        }
        out_.resize(before + static_cast<std::size_t>(got));
        bytes -= static_cast<std::size_t>(got);
    }
}

/// Moves bytes to the reader without a copy. Returns their number: fewer than `bytes` if the file ends or splice(2) is not possible.
std::size_t collect_writer::splice(int from, std::size_t bytes)
{
    write_what_waits();
    std::size_t done = 0;
    while (ok_ && can_splice_ && done < bytes) {
        const auto got = ::splice(from, nullptr, descriptor_, nullptr, bytes - done, 0);
        if (got > 0)
            done += static_cast<std::size_t>(got);
        else if (got == 0)
            break;
        else
            can_splice_ = errno == EINTR;
    }
    return done;
}

void collect_writer::skipped(std::string_view path, std::string_view reason)
{
    if (++skipped_ > max_collect_skipped)
        return;
    auto shown = printable(path);
    if (shown.size() > max_collect_path) {
        shown.resize(max_collect_path);
        shown.resize(shown.size() - incomplete_utf8_tail(shown));
    }
    append_skipped(out_, shown, reason.substr(0, max_collect_reason));
    write_if_much();
}

void collect_writer::done(std::uint64_t entries, std::string_view problem)
{
    append_done(out_, {skipped_, entries, std::string(problem.substr(0, max_collect_reason))});
    write_what_waits();
}

}    // namespace caisson::agent
