# packages: python3-numpy
# size: small
# limits: memory_bytes=1073741824
/usr/bin/python3 -c 'import numpy; a = numpy.arange(9.0).reshape(3, 3); print((a @ a).sum(), numpy.linalg.norm(numpy.eye(3)))'
