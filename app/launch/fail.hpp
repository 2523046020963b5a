#pragma once

namespace caisson::launch {

/// Where failures are told: one line with the step and what errno means. -1: nowhere.
void report_failures_to(int fd);

/// Tells that nothing failed, in an empty line: for what goes on in this process, whose descriptor's end is no sign of it. Ends the process
/// if nobody hears it.
void report_success();

/// Tells `step` with errno and ends the process with status 125.
[[noreturn]] void fail(const char* step);
/// The same without errno.
[[noreturn]] void refuse(const char* what);

}    // namespace caisson::launch
