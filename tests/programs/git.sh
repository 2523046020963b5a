# packages: git
# size: small
export HOME=$PWD; git init -q -b main r; cd r; git config user.email a@b; git config user.name a
echo one > f; git add f; git commit -qm first; git checkout -q -b other; echo two >> f; git commit -qam second; git checkout -q main; git merge -q other; git log --format=%s; git gc -q; git fsck 2>&1; cd ..; git clone -q r copy; cat copy/f
