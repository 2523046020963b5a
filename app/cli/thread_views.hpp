#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// Threads, one a line of at most `columns`, as far as possible; 0: of any length.
std::string threads_table(const boost::json::array& items, std::int64_t now_ms, bool colours, std::size_t columns = 0);

/// Checkpoints, the newest first, each behind its place in the tree that their parents make.
std::string thread_log(const boost::json::array& items, std::int64_t now_ms, bool colours);

/// The tree alone: of checkpoints, the newest first, each with its parent (empty: none), the drawing before each one's own line,
/// with lines between where branches meet.
struct drawn_line {
    std::string drawing;
    std::size_t item = 0;
    bool is_item = false;    // else a line between
};
struct tree_item {
    std::string id;
    std::string parent;
};
std::vector<drawn_line> draw_tree(const std::vector<tree_item>& items);

/// A JSON Patch in its canonical form (state_canonicalizer), one operation a line, numbers as they stand. Throws std::exception on
/// another text.
std::string patch_text(std::string_view patch, bool colours);

}    // namespace caisson::cli
