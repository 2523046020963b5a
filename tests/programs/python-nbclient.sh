# packages: python3-nbclient python3-ipykernel
# size: large
# limits: memory_bytes=1073741824 wall_ms=120000 pids=256
export HOME=$PWD; cat > a.py <<'PY'
import nbformat, nbclient
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell('6 * 7')])
nbclient.NotebookClient(book, timeout=60, kernel_name='python3').execute()
print(book.cells[0].outputs[0].data['text/plain'])
PY
/usr/bin/python3 a.py
