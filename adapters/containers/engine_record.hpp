#pragma once

#include "core/async/timers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// The data that a later server needs to find a sandbox on an engine again. The container's labels hold the rest.
struct engine_record {
    std::string runtime;
    std::string container;    // the id; empty: only name and labels are known
    std::string work_directory = "/workspace";
    std::string image;                 // as requested
    std::string image_digest;          // "sha256:…"
    std::string boot_id;               // of the server's host at creation
    std::int64_t made_at_ns = 0;       // CLOCK_MONOTONIC of that boot; 0: not recorded
    std::int64_t cpu_before_us = 0;    // CPU time that the container used before the first program

    /// Records the boot id and `now`.
    void stamp(steady_time now);
    /// Nothing if the host has rebooted since, or the time is not recorded.
    std::optional<steady_time> made_at() const;

    std::string to_json() const;
    /// Nothing if `text` was not written by to_json().
    static std::optional<engine_record> from_json(std::string_view text);
};

}    // namespace caisson
