#pragma once

namespace caisson::launch {

/// Serves orders (adapters/host/fork_order.hpp) on descriptor 3. Each order forks a child of this process's parent, in a new session with
/// only the order's descriptors, which then runs launch(). Descriptor 4 is shared memory that receives the child's pid. Children inherit a
/// copy of this memory, so each order is erased before the next is read. Returns when the peer closes the socket. `argv` is main's: its
/// memory holds the titles of the processes.
int serve(char** argv);

/// Sets the process name, at most 15 bytes, and also the command line in a fork of serve().
void set_title(const char* name);

}    // namespace caisson::launch
