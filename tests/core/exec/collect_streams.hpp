#pragma once

#include "core/protocol/collect_stream.hpp"
#include "tests/core/exec/service_world.hpp"

#include <string>
#include <utility>
#include <vector>

namespace caisson {

/// What a collector sends of files with these paths and bytes.
inline std::string stream_of(const std::vector<std::pair<std::string, std::string>>& files)
{
    std::string out(protocol::collect_magic);
    for (const auto& [path, bytes] : files) {
        protocol::append_file(out, {false, bytes.size(), 0644, 0, path});
        for (std::size_t at = 0; at < bytes.size(); at += protocol::max_collect_data) {
            const auto part = bytes.substr(at, protocol::max_collect_data);
            protocol::append_data_head(out, part.size());
            out += part;
        }
        protocol::append_end(out);
    }
    protocol::append_done(out, {});
    return out;
}

/// The same of a skill that writes its output and nothing else.
inline std::string output_stream_of(const std::string& text)
{
    std::string out(protocol::collect_magic);
    protocol::append_file(out, {true, text.size(), 0644, 0, "out/output.json"});
    protocol::append_data_head(out, text.size());
    out += text;
    protocol::append_end(out);
    protocol::append_done(out, {});
    return out;
}

/// What a fake agent is given as its collected and collected_at_end.
inline auto says(const std::string& stream)
{
    return [stream](const protocol::spawn_request&) { return stream; };
}

/// A program whose files are collected.
inline execution_spec collecting()
{
    auto spec = service_world::program();
    spec.collect.patterns = {"out/**"};
    return spec;
}

}    // namespace caisson
