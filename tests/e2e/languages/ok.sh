letters=(O K)
printf '%s%s\n' "${letters[@]}"
