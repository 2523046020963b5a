# packages: python3-zmq
# size: small
cat > a.py <<'PY'
import zmq
context = zmq.Context(); one, other = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
port = one.bind_to_random_port('tcp://127.0.0.1'); other.connect(f'tcp://127.0.0.1:{port}'); other.send(b'sent'); print(one.recv().decode())
one.close(); other.close(); context.term()
PY
/usr/bin/python3 a.py
