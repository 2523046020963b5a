#include "storage/sqlite/wal_file.hpp"

#include "storage/sqlite/file_bytes.hpp"

#include <array>
#include <vector>

namespace caisson::sqlite {

namespace {

constexpr std::uint32_t magic = 0x377f0682;    // the last bit: checksums are over big-endian words
constexpr std::uint32_t format = 3'007'000;
constexpr std::size_t header_bytes = 32;

/// SQLite's running checksum over pairs of 32-bit words.
class checksum {
public:
    explicit checksum(bool of_big_endian) : of_big_endian_(of_big_endian) { }

    void add(std::span<const unsigned char> bytes)
    {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            first_ += word(&bytes[at]) + second_;
            second_ += word(&bytes[at + 4]) + first_;
        }
    }
    bool is(const unsigned char* stored) const { return first_ == big_endian(stored) && second_ == big_endian(stored + 4); }

private:
    std::uint32_t word(const unsigned char* at) const
    {
        const auto value = big_endian(at);
        return of_big_endian_ ? value : __builtin_bswap32(value);
    }
    bool of_big_endian_;
    std::uint32_t first_ = 0;
    std::uint32_t second_ = 0;
};

bool is_power_of_two(std::uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

class wal_reader {
public:
    explicit wal_reader(const std::filesystem::path& file) : file_(file) { found_.bytes = file_.size(); }

    wal_content read()
    {
        if (read_header())
            read_frames();
        return std::move(found_);
    }

private:
    bool read_header()
    {
        if (file_.read(0, header_) < header_bytes || (big_endian(&header_[0]) | 1u) != (magic | 1u) || big_endian(&header_[4]) != format)
            return false;
        found_.page_bytes = big_endian(&header_[8]);
        running_ = checksum((header_[3] & 1u) != 0);
        running_.add(std::span(header_).first(24));
        const bool sized = is_power_of_two(found_.page_bytes) && found_.page_bytes >= 512 && found_.page_bytes <= 65'536;
        found_.header_valid = sized && running_.is(&header_[24]);
        return found_.header_valid;
    }

    void read_frames()
    {
        frame_.resize(frame_header_bytes + found_.page_bytes);
        bool damaged = false;
        for (std::uint64_t at = header_bytes; file_.read(at, frame_) == frame_.size(); at += frame_.size()) {
            const bool ours = std::equal(&frame_[8], &frame_[16], &header_[16]);    // the salts of this round
            if (!damaged)
                damaged = !(ours && take_valid());
            if (damaged && ours && big_endian(&frame_[4]) != 0)
                ++found_.commits_after_damage;
        }
    }

    bool take_valid()
    {
        auto next = running_;
        next.add(std::span(frame_).first(8));
        next.add(std::span(frame_).subspan(frame_header_bytes));
        if (!next.is(&frame_[16]) || big_endian(&frame_[0]) == 0)
            return false;
        running_ = next;
        ++found_.valid_frames;
        waiting_.insert(big_endian(&frame_[0]));
        if (const auto pages = big_endian(&frame_[4]); pages != 0) {
            found_.database_pages = pages;
            found_.pages.merge(waiting_);
            waiting_.clear();
        }
        return true;
    }

    file_bytes file_;
    wal_content found_;
    std::array<unsigned char, header_bytes> header_{};
    std::vector<unsigned char> frame_;
    checksum running_{false};
    std::set<std::uint32_t> waiting_;    // of the transaction that is being read
};

}    // namespace

bool wal_content::holds_frames() const { return bytes > header_bytes; }

std::string wal_content::damage() const
{
    // The header is on the disk before the first frame is written, each transaction before the next one is.
    if (holds_frames() && !header_valid)
        return "its header is damaged";
    if (commits_after_damage > 1)
        return "frame " + std::to_string(valid_frames + 1) + " is damaged, and " + std::to_string(commits_after_damage) +
               " transactions lie behind it";
    return "";
}

wal_content read_wal(const std::filesystem::path& file) { return wal_reader(file).read(); }

}    // namespace caisson::sqlite
