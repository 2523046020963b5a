# packages: python3-yaml
# size: small
/usr/bin/python3 -c 'import yaml; print(yaml.safe_load("a: [1, 2.5, x]"), yaml.safe_dump({"b": 1}).strip())'
