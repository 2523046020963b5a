#pragma once

#include "app/agent/collect_files.hpp"
#include "app/agent/collect_listing.hpp"
#include "app/agent/collect_order.hpp"
#include "app/agent/collect_writer.hpp"
#include "core/files/patterns.hpp"

#include <dirent.h>
#include <sys/stat.h>

namespace caisson::agent {

/// Walks the directory of an ended run and writes the files that match the order. Bounded in entries, depth, memory and bytes.
class collector {
public:
    /// `order` and `out` must outlive the collector.
    collector(const collect_order& order, collect_writer& out);
    /// False if the reader is gone, or if a stream kept in memory became too long.
    bool run();
    /// Whether run() stopped early. After a trial, a collector process can still collect everything.
    bool has_problem() const { return !problem_.empty(); }

private:
    void send_output(int root);
    bool goes_on();
    void walk(int directory, const path_patterns::position& at, std::uint64_t depth);
    collect_listing list(int directory, const path_patterns::position& at);
    void note(const dirent& entry, int directory, const path_patterns::position& at, collect_listing& into);
    void visit_directory(int parent, const std::string& name, const path_patterns::position& at, std::uint64_t depth);
    void visit_file(int parent, const std::string& name, entry_kind kind);
    void send(const struct stat& about, int file);
    bool is_left(const opened_entry& what);
    void skip(std::string_view reason) { out_.skipped(path_, reason); }

    const collect_order& order_;
    collect_writer& out_;
    path_patterns patterns_;
    std::string path_;              // of the current entry
    std::size_t held_bytes_ = 0;    // of the listings of all open directories
    std::uint64_t files_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t entries_ = 0;
    std::string problem_;    // why no more directories are read
    on_denial denied_;
};

/// caisson-agent --collect …: collects to standard output. Returns the exit status.
int collect(int argc, char** arguments);

}    // namespace caisson::agent
