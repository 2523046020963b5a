# packages: python3-aiohttp
# size: small
cat > a.py <<'PY'
import asyncio
from aiohttp import ClientSession, web
async def main():
    app = web.Application(); app.router.add_get('/', lambda request: asyncio.sleep(0, web.Response(text='served')))
    runner = web.AppRunner(app); await runner.setup(); site = web.TCPSite(runner, '127.0.0.1', 0); await site.start()
    async with ClientSession() as session, session.get(f'http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/') as answer: print(await answer.text())
    await runner.cleanup()
asyncio.run(main())
PY
/usr/bin/python3 a.py
