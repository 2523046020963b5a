# packages: python3
# size: small
cat > a.py <<'PY'
import asyncio, concurrent.futures, ctypes, decimal, multiprocessing, socket, sqlite3, ssl, subprocess, tempfile, threading, zoneinfo, datetime, locale, urllib.request, selectors, mmap
def square(n): return n * n
if __name__ == '__main__':
    with multiprocessing.Pool(2) as pool: print(pool.map(square, range(4)))
    with concurrent.futures.ProcessPoolExecutor(2) as pool: print(sum(pool.map(square, range(4))))
    print(asyncio.run(asyncio.wait_for(asyncio.sleep(0, 'slept'), 5)))
    print(sqlite3.connect(':memory:').execute('select 6 * 7').fetchone(), socket.getservbyname('http'), socket.getprotobyname('tcp'))
    print(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')).isoformat(), ssl.create_default_context().verify_mode.name)
    print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout.strip(), len(mmap.mmap(-1, 4096)))
PY
/usr/bin/python3 a.py
