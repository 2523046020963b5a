#pragma once

namespace caisson::agent {

/// The command line: caisson-agent [--subreaper] [--confine] [--work DIR] (--listen-fd N | --connect PATH | --stdio)
struct options {
    int listen_fd = -1;                  // an inherited listening unix stream socket
    const char* connect_to = nullptr;    // else the path of one on which servers listen
    int stdio_in = -1;                   // else what descriptors 0 and 1 were
    int stdio_out = -1;
    bool subreaper = false;             // not PID 1: descendants are re-parented here all the same
    bool confine = false;               // use Landlock, where the kernel has it
    const char* work = "/workspace";    // what FILE paths are below
};

/// False if the command line is not understood; then usage was printed.
bool parse(int argc, char** argv, options& out);

}    // namespace caisson::agent
