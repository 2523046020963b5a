# Sourced by the tools: where things are, messages, times.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$ROOT" || exit 1

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    BOLD=$'\e[1m' RED=$'\e[31m' GREEN=$'\e[32m' DIM=$'\e[2m' PLAIN=$'\e[0m'
else
    BOLD='' RED='' GREEN='' DIM='' PLAIN=''
fi

say() { printf '%s== %s%s\n' "$BOLD" "$*" "$PLAIN"; }
note() { printf '   %s\n' "$*"; }
fail() {
    printf '%s%s: %s%s\n' "$RED" "$(basename "$0")" "$*" "$PLAIN" >&2
    exit 1
}

# Milliseconds since some moment: for stage times.
now_ms() { echo $(($(date +%s%N) / 1000000)); }
# seconds_since MS: "12.3 s"
seconds_since() {
    local ms=$(($(now_ms) - $1))
    printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

# A step of work on this many cores: one per 1.5 GB of free memory, at most all.
job_count() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
    [ "$memory" -ge 1 ] || memory=1
    echo $((cores < memory ? cores : memory))
}
