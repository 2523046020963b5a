# packages: strace
# size: small
# differs: ptrace is refused, so that no program looks into another one
strace -o /dev/null true >/dev/null 2>&1 && echo traced || echo refused
