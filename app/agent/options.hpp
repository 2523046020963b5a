#pragma once

namespace caisson::agent {

/// The command line: caisson-agent [--subreaper] [--confine] [--work DIR] (--listen-fd N | --connect PATH | --stdio)
struct options {
    int listen_fd = -1;                  // an inherited, listening unix stream socket
    const char* connect_to = nullptr;    // else the path of a socket on which servers listen
    int stdio_in = -1;                   // else the original descriptors 0 and 1
    int stdio_out = -1;
    bool subreaper = false;             // adopt orphaned descendants though not PID 1
    bool confine = false;               // use Landlock if the kernel has it
    const char* work = "/workspace";    // base directory of FILE paths
};

/// Prints usage and returns false if the command line is invalid.
bool parse(int argc, char** argv, options& out);

}    // namespace caisson::agent
