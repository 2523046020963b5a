# packages: python3-jsonschema
# size: small
/usr/bin/python3 -c 'import jsonschema; jsonschema.validate({"a": 1}, {"properties": {"a": {"type": "integer"}}}); print("valid")'
