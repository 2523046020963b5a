# packages: nim
# size: small
printf 'import std/[strutils, sequtils]\necho toSeq(1..3).mapIt($it).join(",")\n' > a.nim; nim c --hints:off --verbosity:0 --nimcache:cache -o:a a.nim >/dev/null 2>&1 && ./a
