use strict;
use warnings;
print join("", qw(O K)), "\n";
