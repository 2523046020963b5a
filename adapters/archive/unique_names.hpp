#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace caisson {

/// Paths of an archive's files, each once: a second of one path becomes "name (2).ext", a third "name (3).ext". Takes some 50 bytes a
/// path; of paths that share a hash the later ones are numbered without need.
class unique_names {
public:
    /// `path`, or another one in its directory if it was given before. No name gets longer than 255 bytes by it.
    std::string take(std::string path);

private:
    std::unordered_map<std::size_t, int> given_;    // by hash: the last number of it
};

/// "a/b.txt" and 2 is "a/b (2).txt". No I/O.
std::string numbered_name(std::string_view path, int number);

}    // namespace caisson
