#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace caisson {

/// Makes the paths of an archive's files unique: a second file of a path becomes "name (2).ext", a third "name (3).ext". Takes about 50
/// bytes per path. Stores hashes only, so a collision numbers a path without need.
class unique_names {
public:
    /// Returns `path`, or a numbered one in the same directory if it was given before. A number never extends a name beyond 255 bytes.
    std::string take(std::string path);

private:
    std::unordered_map<std::size_t, int> given_;    // by hash of the path: its last number
};

/// "a/b.txt" and 2 is "a/b (2).txt". No I/O.
std::string numbered_name(std::string_view path, int number);

}    // namespace caisson
