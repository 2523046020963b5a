# packages: jq
# size: small
echo '{"a": [1, {"b": 2.50}]}' | jq -c '.a[1].b, (.a | length), (now | type)'
