/* In the agent's place, with its arguments: ends as soon as somebody comes to the socket in its last one. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>

int main(int argc, char** argv)
{
    return accept4(atoi(argv[argc - 1]), NULL, NULL, SOCK_CLOEXEC) < 0;
}
