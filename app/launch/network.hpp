#pragma once

namespace caisson::launch {

/// Moves this process into a new network namespace, in which `lo` is up, and which its next child may have for its own: making one takes
/// longer than all else of a sandbox's namespaces. False if that cannot be done; then no child may.
bool enter_fresh_network();
/// The same with `network`, open or -1, in which another sandbox was, if nothing that it shows of itself and that its programs could change
/// without any right to set it up differs from what a fresh one shows (docs/adr/0025). False if something does, if it cannot be told, or
/// before enter_fresh_network(), from whose namespaces it tells how one looks; then no child may have the one where this process is.
bool enter_used_network(int network);
/// Whether this process's namespace was made by enter_fresh_network(), or is as good, and is nobody else's.
bool has_fresh_network();
/// It is a child's from now on.
void give_network_away();
/// Back to where the process was at first. Ends it if that fails.
void return_to_first_network();

/// `lo` of this process's namespace. False with errno on failure.
bool bring_up_loopback();

}    // namespace caisson::launch
