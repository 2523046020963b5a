#include <math.h>
#include <stdio.h>

int main(void)
{
    puts(sqrt(16.0) == 4.0 ? "OK" : "wrong");
    return 0;
}
