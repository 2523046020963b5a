#pragma once

namespace caisson::launch {

/// Moves this process into a new network namespace with `lo` up, for the next child: making one takes longer than all other namespaces of a
/// sandbox. False on failure; then no child may use the current one.
bool enter_fresh_network();
/// Likewise with `network`, open or -1, the namespace of an ended sandbox. True only if everything that its programs could change without
/// privileges looks as in a fresh one (docs/adr/0025). False if that cannot be determined, or before enter_fresh_network(), which records
/// how a fresh one looks; then no child may use the current one.
bool enter_used_network(int network);
/// True if this process's namespace is fresh, or looks fresh, and no child has it.
bool has_fresh_network();
/// Marks the current namespace as belonging to a child.
void give_network_away();
/// Returns to the initial namespace. Ends the process on failure.
void return_to_first_network();

/// Brings `lo` up in this process's namespace. False with errno on failure.
bool bring_up_loopback();

}    // namespace caisson::launch
