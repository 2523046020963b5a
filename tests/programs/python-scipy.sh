# packages: python3-scipy
# size: large
# limits: memory_bytes=1073741824 wall_ms=60000
/usr/bin/python3 -c 'from scipy import optimize, linalg; print(round(optimize.brentq(lambda x: x * x - 2, 0, 2), 6), linalg.det([[1, 0], [0, 2]]))'
