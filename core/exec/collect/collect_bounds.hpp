#pragma once

#include "core/files/patterns.hpp"
#include "core/files/types.hpp"
#include "core/protocol/collect_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace caisson {

/// What the agent may send: the patterns and limits of a collect_spec hold whatever it says. Counts the bytes of the files that it began.
/// No I/O.
class collect_bounds {
public:
    /// `wanted` outlives it.
    explicit collect_bounds(const collect_spec& wanted) : wanted_(wanted), patterns_(wanted.patterns) { }

    /// What makes `file` one that the agent was not asked for, after `kept` artifacts; empty: nothing does.
    std::string breach(const protocol::collected_file& file, std::size_t kept) const;
    /// Counts a file that becomes an artifact.
    void count(std::int64_t bytes) { bytes_ += bytes; }

    /// Whether `path` is the file that becomes the execution's output.
    bool is_output(const std::string& path) const { return path == wanted_.output && !path.empty(); }
    /// The artifact's name: `path` without the directory collect_spec::strip.
    std::string artifact_name(const std::string& path) const;
    /// How long breach() takes for `path`, in steps of about a nanosecond.
    std::size_t steps_for(const std::string& path) const { return path.size() * patterns_.words(); }

private:
    const collect_spec& wanted_;
    path_patterns patterns_;
    std::int64_t bytes_ = 0;
};

}    // namespace caisson
