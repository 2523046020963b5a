# packages: tar
# size: small
mkdir d; seq 10 > d/a; ln -s a d/b; tar -cJf d.tar.xz d && mkdir x && tar -xJf d.tar.xz -C x && diff -r d x/d && ls -F x/d
