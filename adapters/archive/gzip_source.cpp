#include "adapters/archive/gzip_source.hpp"

#include <algorithm>
#include <new>

namespace caisson {

namespace {

constexpr std::size_t block_bytes = 64 << 10;
constexpr int gzip_window_bits = 15 + 16;       // gzip format only, with its largest window
constexpr std::int64_t header_bytes = 4'096;    // per entry: tar header, long names, padding

Bytef* bytes_of(std::string& text) { return reinterpret_cast<Bytef*>(text.data()); }

/// Maximum size of the tar: files, headers and padding of the last block. Bounds the entry count, since limits may exceed any real archive.
std::int64_t most_inflated(const package_limits& limits)
{
    return limits.max_total_bytes + std::min<std::int64_t>(limits.max_entries, 1 << 20) * header_bytes + (1 << 20);
}

}    // namespace

gzip_source::gzip_source(const package_file& file, const package_limits& limits) : file_(file), limits_(limits), output_(block_bytes, '\0')
{
    if (::inflateInit2(&stream_, gzip_window_bits) != Z_OK)
        throw std::bad_alloc();
}

gzip_source::~gzip_source() { ::inflateEnd(&stream_); }

result<std::string_view> gzip_source::next()
{
    if (failure_)
        return *failure_;
    auto some = inflate_some();
    if (some.has_error())
        failure_ = some.error();
    return some;
}

result<std::string_view> gzip_source::inflate_some()
{
    stream_.next_out = bytes_of(output_);
    stream_.avail_out = block_bytes;
    while (!ended_ && stream_.avail_out == block_bytes) {
        if (stream_.avail_in == 0) {
            input_ = file_.read(read_, block_bytes);
            if (input_.empty())
                return refused_archive("the tar.gz is damaged: it is cut off");
            read_ += static_cast<std::int64_t>(input_.size());
            stream_.next_in = bytes_of(input_);
            stream_.avail_in = static_cast<uInt>(input_.size());
        }
        const int state = ::inflate(&stream_, Z_NO_FLUSH);
        if (state != Z_OK && state != Z_STREAM_END)
            return refused_archive("the tar.gz is damaged: its gzip data or checksum is wrong");
        ended_ = state == Z_STREAM_END;
    }
    const auto some = std::string_view(output_).substr(0, block_bytes - stream_.avail_out);
    note(some);
    if (auto within = check_limits(); within.has_error())
        return within.error();
    if (!ended_)
        return some;
    const auto end = check_end();
    return end.has_error() ? result<std::string_view>(end.error()) : some;
}

void gzip_source::note(std::string_view bytes)
{
    if (const auto last = bytes.find_last_not_of('\0'); last != std::string_view::npos)
        end_of_content_ = inflated_ + static_cast<std::int64_t>(last) + 1;
    inflated_ += static_cast<std::int64_t>(bytes.size());
}

result<void> gzip_source::check_limits() const
{
    if (inflated_ > most_inflated(limits_))
        return refused_archive("the archive inflates to more than " + std::to_string(limits_.max_total_bytes) + " bytes");
    const auto packed = static_cast<std::int64_t>(stream_.total_in);
    if (inflated_ > limits_.ratio_from_bytes && inflated_ > limits_.max_ratio * packed)
        return refused_archive("the archive inflates to more than " + std::to_string(limits_.max_ratio) + " times its size");
    return {};
}

result<void> gzip_source::check_end() const
{
    if (stream_.avail_in == 0 && read_ == file_.size())
        return {};
    const auto rest = file_.read(read_ - stream_.avail_in, 2);
    return refused_archive(rest == "\x1F\x8B" ? "the tar.gz is more than one gzip member" : "the tar.gz is damaged: bytes follow its end");
}

}    // namespace caisson
