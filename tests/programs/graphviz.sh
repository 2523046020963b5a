# packages: graphviz
# size: large
echo 'digraph { a -> b }' | dot -Tsvg | grep -c '<text'
