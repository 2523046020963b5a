# packages: imagemagick fonts-dejavu-core
# size: large
convert -size 100x30 xc:white -annotate +5+20 Hi a.png; identify -format '%m %wx%h\n' a.png
