# packages: python3-sklearn
# size: large
# limits: memory_bytes=1073741824 wall_ms=60000 cpus=2
/usr/bin/python3 -c 'from sklearn.linear_model import LinearRegression; print(LinearRegression().fit([[1], [2]], [2, 4]).predict([[3]]).round(3))'
