# packages: bash
# size: small
diff <(printf 'a\nb\n') <(printf 'a\nc\n') || true
coproc CAT { cat; }; echo hello >&"${CAT[1]}"; read -r line <&"${CAT[0]}"; echo "$line"
cat <<<"$BASH_VERSION" | cut -d. -f1
