#pragma once

namespace caisson::launch {

/// Waits for orders (adapters/host/fork_order.hpp) on descriptor 3, tells of each process by descriptor 4 (a pid_t in shared memory),
/// and for each order forks a process that does what launch() does: a child of this one's parent, in a session of its own, with the order's
/// descriptors and no others. Returns when the other end of the socket is closed. Nothing of an order is left here when the next is read:
/// each process begins with a copy of this one's memory. `argv` is main's, whose place is where the processes have their titles.
int serve(char** argv);

/// Gives this process the name, of at most 15 bytes, and shows it as its command line too if serve() forked it.
void set_title(const char* name);

}    // namespace caisson::launch
