#pragma once

#include "core/async/timers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// What a later server needs to find a sandbox on an engine again. The container's labels say the rest.
struct engine_record {
    std::string runtime;
    std::string container;    // its id; empty: only its name and labels are known
    std::string work_directory = "/workspace";
    std::string image;                 // as it was asked for
    std::string image_digest;          // "sha256:…"
    std::string boot_id;               // of the server's host when it was made
    std::int64_t made_at_ns = 0;       // CLOCK_MONOTONIC of that boot; 0: not recorded
    std::int64_t cpu_before_us = 0;    // that the container had used when its agent was there: no program's

    /// Takes down this boot and now.
    void stamp(steady_time now);
    /// Nothing if the host was booted since.
    std::optional<steady_time> made_at() const;

    std::string to_json() const;
    /// Nothing if `text` is not what to_json() writes.
    static std::optional<engine_record> from_json(std::string_view text);
};

}    // namespace caisson
