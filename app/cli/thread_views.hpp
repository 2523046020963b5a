#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// Threads, one a line, fitted to `columns` where possible; 0: any width.
std::string threads_table(const boost::json::array& items, std::int64_t now_ms, bool colours, std::size_t columns = 0);

/// Checkpoints, newest first, each after its place in the tree of parents.
std::string thread_log(const boost::json::array& items, std::int64_t now_ms, bool colours);

/// The tree's drawing for checkpoints, newest first, each with its parent (empty: none). Each checkpoint has a line; lines between them
/// show where branches meet.
struct drawn_line {
    std::string drawing;
    std::size_t item = 0;
    bool is_item = false;    // else a line between items
};
struct tree_item {
    std::string id;
    std::string parent;
};
std::vector<drawn_line> draw_tree(const std::vector<tree_item>& items);

/// A JSON Patch in canonical form (state_canonicalizer) as text: one operation a line, numbers unchanged. Throws std::exception for any
/// other text.
std::string patch_text(std::string_view patch, bool colours);

}    // namespace caisson::cli
