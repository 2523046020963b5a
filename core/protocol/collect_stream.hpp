#pragma once

#include "core/base/shared_bytes.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

/// The stream that the agent's collector writes to its stdout: the files that a run left behind. Uses the standard library only,
/// because the agent is built from it too.
///
///   stream  : magic, record…
///   record  : u32 length | u8 type | body          little endian; length counts the body
///   FILE    1 : u8 output, u64 size, u32 mode, u64 mtime ms, path     then DATA until END or CUT
///   DATA    2 : bytes, at most max_collect_data
///   END     3 : nothing; the DATA so far has FILE's size
///   CUT     4 : reason; the file could not be read to its end
///   SKIPPED 5 : u32 length of the path, path, reason; not within a file
///   DONE    6 : u64 skipped files, u64 entries visited, problem (empty: all were visited); the last record
///
/// The run's output file comes first, if it exists; the other files follow in the order of their paths, each once.
namespace caisson::protocol {

/// The compilers' directory below the working directory. Never collected.
inline constexpr std::string_view build_directory = ".caisson";
inline constexpr std::string_view collect_magic = "CSNCOL1\n";
inline constexpr std::size_t max_collect_data = 128 * 1024;
inline constexpr std::size_t max_collect_path = 4'096;
inline constexpr std::size_t max_collect_reason = 256;
inline constexpr std::size_t max_collect_skipped = 100;    // SKIPPED records; DONE counts all skipped files
/// Maximum size of a stream that the agent sends itself when the program ends, without a collector process.
inline constexpr std::size_t most_collected_at_end = 64 * 1024;
/// Exit code if the agent cannot do that: the stream is larger, or other programs run in the sandbox (EX_TEMPFAIL of sysexits.h).
inline constexpr int cannot_collect_at_end = 75;

enum class collect_record : std::uint8_t { file = 1, data, end, cut, skipped, done };

struct collected_file {
    bool is_output = false;
    std::uint64_t size = 0;
    std::uint32_t mode = 0;    // permission bits only
    std::uint64_t modified_ms = 0;
    std::string path;
};

struct collect_totals {
    std::uint64_t skipped = 0;
    std::uint64_t entries = 0;
    std::string problem;    // why not all entries were visited
};

/// Whether `path` is relative, without empty, "." or ".." names, and at most max_collect_path bytes of UTF-8 without control characters.
bool is_collectable_path(std::string_view path);

void append_file(std::string& out, const collected_file& file);
/// Appends the head of a DATA record; the caller appends the `bytes` of data.
void append_data_head(std::string& out, std::size_t bytes);
void append_end(std::string& out);
void append_cut(std::string& out, std::string_view reason);
void append_skipped(std::string& out, std::string_view path, std::string_view reason);
void append_done(std::string& out, const collect_totals& totals);

/// Decodes the stream incrementally. The input is untrusted: a violation of the rules above leaves the decoder broken for good.
class collect_decoder {
public:
    enum class item { need_more, file, data, end, cut, skipped, done, broken };

    void add(shared_bytes bytes);
    /// The next item. Bytes after `done` are a violation.
    item next();

    /// Fields of the last item; valid until next().
    const collected_file& file() const { return file_; }        // file, data, end, cut
    const shared_bytes& data() const { return data_; }          // data: part of the record, never empty
    const std::string& path() const { return path_; }           // skipped
    const std::string& reason() const { return reason_; }       // cut, skipped
    const collect_totals& totals() const { return totals_; }    // done
    /// Bytes added and not yet consumed.
    std::uint64_t pending_bytes() const { return pending_; }

private:
    item next_data();
    item decode(collect_record type, std::string_view body);
    item decode_file(std::string_view body);
    item decode_skipped(std::string_view body);
    item decode_done(std::string_view body);
    item fail();
    bool gather(std::size_t bytes);
    shared_bytes take_piece(std::size_t most);

    std::deque<shared_bytes> chunks_;
    std::uint64_t pending_ = 0;
    std::string head_;    // the received part of a record's head and body
    bool greeted_ = false;
    bool in_file_ = false;
    bool output_possible_ = true;
    bool done_ = false;
    bool broken_ = false;
    std::uint64_t data_left_ = 0;    // bytes left of the current DATA record
    std::uint64_t file_left_ = 0;
    std::size_t skipped_ = 0;
    std::string last_path_;
    collected_file file_;
    shared_bytes data_;
    std::string path_;
    std::string reason_;
    collect_totals totals_;
};

}    // namespace caisson::protocol
