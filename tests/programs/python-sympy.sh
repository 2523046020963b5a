# packages: python3-sympy
# size: large
# limits: memory_bytes=1073741824 wall_ms=60000
/usr/bin/python3 -c 'import sympy; x = sympy.symbols("x"); print(sympy.integrate(sympy.sin(x), x))'
