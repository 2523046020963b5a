#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/types.hpp"

namespace caisson::agent {

/// Both ends of a program's stdin, stdout and stderr: three pipes, or a pseudo terminal. All are close-on-exec.
struct stdio_set {
    unique_fd child[3];    // the child's ends; a terminal has only the first, used for all three
    unique_fd input;       // the agent's ends, non-blocking
    unique_fd output;
    unique_fd error;          // none under a terminal
    bool tells_end = true;    // `output` reads as ended once no process can write to it
};

/// Returns an errno, 0 for success.
int open_stdio(const protocol::spawn_request& request, stdio_set& out);
int open_pipes(stdio_set& out);
int open_terminal(protocol::spawn_request::size size, stdio_set& out);

/// Sets the terminal's size and notifies its programs.
void resize_terminal(int master, std::uint16_t cols, std::uint16_t rows);
/// Writes the terminal's end-of-file character; twice if the line was begun, because the first then only submits the line.
/// False if the terminal has no room now.
bool send_terminal_eof(int master, bool line_begun);

}    // namespace caisson::agent
