# packages: python3-pytest
# size: small
printf 'import pytest\n@pytest.mark.parametrize("n", [1, 2])\ndef test_n(n, tmp_path): assert n < 3\n' > test_a.py; /usr/bin/python3 -m pytest -q -p no:cacheprovider test_a.py | tail -n 1 | cut -d' ' -f1-2
