# packages: python3-matplotlib
# size: large
# limits: memory_bytes=1073741824 wall_ms=60000
/usr/bin/python3 -c 'import matplotlib; matplotlib.use("Agg"); import matplotlib.pyplot as p; p.plot([1, 2]); p.title("Title"); p.savefig("a.png"); print(open("a.png", "rb").read(4)[1:])'
