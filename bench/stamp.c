/* usage: bench-stamp COUNT INTERVAL_US: writes COUNT lines of 20 digits, each CLOCK_MONOTONIC in nanoseconds at the write(2). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    const long count = atol(argv[1]);
    const long interval_ns = atol(argv[2]) * 1000;
    const struct timespec pause = {.tv_sec = interval_ns / 1000000000, .tv_nsec = interval_ns % 1000000000};
    for (long i = 0; i < count; ++i) {
        struct timespec now;
        char line[22];
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        const int length = snprintf(line, sizeof line, "%020lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
        if (length != 21 || write(1, line, 21) != 21)
            return 1;
    }
    return 0;
}
