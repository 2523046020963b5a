# packages: file
# size: small
printf '\x89PNG\r\n\x1a\n' > a; printf '#!/bin/sh\n' > b; file -b a b
