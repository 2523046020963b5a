#pragma once

namespace caisson::launch {

/// Reports failures to `fd`: one line with the step and the meaning of errno. -1: no reports.
void report_failures_to(int fd);

/// Reports success as an empty line, for a caller that continues in this process without closing the descriptor. Ends the process if the
/// write fails.
void report_success();

/// Reports `step` with errno and ends the process with status 125.
[[noreturn]] void fail(const char* step);
/// Likewise without errno.
[[noreturn]] void refuse(const char* what);

}    // namespace caisson::launch
