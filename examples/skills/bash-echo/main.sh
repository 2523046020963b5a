#!/usr/bin/env bash
# Gives the input back.
set -euo pipefail
mkdir -p "$(dirname "$SANDBOX_OUTPUT")"
input=$(cat /sandbox/input.json)
printf '{"echo": %s, "runtime": "bash", "pid": %d}\n' "$input" "$$" >"$SANDBOX_OUTPUT"
echo "Echoed ${#input} characters"
