#pragma once

#include "core/protocol/collect_stream.hpp"

namespace caisson::agent {

/// Writes the stream of core/protocol/collect_stream.hpp to a blocking descriptor or to memory. Writes nothing more after a failure.
class collect_writer {
public:
    explicit collect_writer(int out);
    /// Keeps the stream in memory for take(). A stream longer than `most_bytes` is a failure.
    struct in_memory {
        std::size_t most_bytes;
    };
    explicit collect_writer(in_memory kept);

    bool ok() const { return ok_; }
    std::string take() { return std::move(out_); }
    /// Writes the file with the first file.size bytes of `descriptor`; ends it with CUT if bytes are missing.
    void file(const protocol::collected_file& file, int descriptor);
    /// Writes SKIPPED for the first max_collect_skipped files; counts all. `path` may hold any bytes.
    void skipped(std::string_view path, std::string_view reason);
    void done(std::uint64_t entries, std::string_view problem);

private:
    struct source {
        int descriptor;
        bool ended = false;    // too short, or unreadable
        int failure = 0;       // errno if unreadable
    };
    void data(source& from, std::size_t bytes);
    std::size_t splice(int from, std::size_t bytes);
    void write(std::string_view bytes);
    void write_what_waits();
    void write_if_much();
    bool keeps() const { return descriptor_ < 0; }

    std::string out_;
    std::size_t most_kept_ = 0;
    std::uint64_t skipped_ = 0;
    int descriptor_;
    bool ok_ = true;
    bool can_splice_ = true;
};

/// `bytes` as UTF-8 without control characters; other bytes become \xHH.
std::string printable(std::string_view bytes);

}    // namespace caisson::agent
