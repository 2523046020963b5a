# packages: fontconfig fonts-dejavu-core
# size: small
fc-match sans:lang=en; fc-list : family | sort -u | head -n 3
