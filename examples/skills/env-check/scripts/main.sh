#!/usr/bin/env bash
# Says what a skill finds around itself.
set -euo pipefail
LC_ALL=C

# quoted TEXT: TEXT as a JSON string.
quoted() {
    local text=$1 out='' i character
    for ((i = 0; i < ${#text}; i++)); do
        character=${text:i:1}
        case $character in
            '"' | '\') out+="\\$character" ;;
            [[:cntrl:]]) printf -v character '\\u%04x' "'$character" && out+=$character ;;
            *) out+=$character ;;
        esac
    done
    printf '"%s"' "$out"
}
is_set() { if [ -n "${!1+set}" ]; then echo true; else echo false; fi; }
# The value of a variable as JSON, null if it is not there.
value_of() { if [ -n "${!1+set}" ]; then quoted "${!1}"; else echo null; fi; }

# The names in check_vars: the schema lets nothing through that JSON would escape.
names_in() { grep -o '"check_vars"[[:space:]]*:[[:space:]]*\[[^]]*\]' <<<"$1" | sed 's/^[^[]*//' | grep -o '[A-Za-z_][A-Za-z0-9_]*' || true; }

input=${SANDBOX_INPUT-$(cat /sandbox/input.json)}
custom=''
while IFS= read -r name; do
    [ -z "$name" ] || custom+="${custom:+,}$(quoted "$name"):$(value_of "$name")"
done <<<"$(names_in "$input")"

mkdir -p "$(dirname "$SANDBOX_OUTPUT")"
cat >"$SANDBOX_OUTPUT" <<JSON
{"sandbox_input_set": $(is_set SANDBOX_INPUT),
 "sandbox_output_set": $(is_set SANDBOX_OUTPUT),
 "sandbox_files_dir_set": $(is_set SANDBOX_FILES_DIR),
 "skill_instructions_set": $(is_set SKILL_INSTRUCTIONS),
 "sandbox_output_path": $(value_of SANDBOX_OUTPUT),
 "sandbox_files_dir_path": $(value_of SANDBOX_FILES_DIR),
 "home": $(value_of HOME),
 "user_id": $(id -u),
 "working_dir": $(quoted "$PWD"),
 "custom_vars": {$custom}}
JSON
echo "Looked at the environment of process $$"
