// caisson-agent: the first process of a sandbox, which starts its programs and carries their input and output.

#include "app/agent/entry.hpp"

int main(int argc, char** argv) { return caisson::agent::run(argc, argv); }
