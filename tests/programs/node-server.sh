# packages: nodejs
# size: small
cat > a.js <<'JS'
const http = require('http');
const server = http.createServer((_, answer) => answer.end('served')).listen(0, '127.0.0.1', async () => { console.log(await (await fetch(`http://127.0.0.1:${server.address().port}`)).text()); server.close(); });
JS
node a.js
