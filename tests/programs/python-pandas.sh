# packages: python3-pandas
# size: large
# limits: memory_bytes=1073741824 wall_ms=60000
/usr/bin/python3 -c 'import pandas; f = pandas.DataFrame({"a": [1, 2, 3], "b": list("xyx")}); print(f.groupby("b").a.sum().to_dict(), f.to_csv(index=False).splitlines()[0])' 2>/dev/null
