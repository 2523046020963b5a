# packages: nodejs
# size: small
# limits: memory_bytes=1073741824
cat > a.js <<'JS'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
if (isMainThread) { let sum = 0, left = 3; for (let i = 1; i <= 3; ++i) new Worker(__filename, { workerData: i }).on('message', n => { sum += n; if (--left === 0) console.log(sum); }); } else parentPort.postMessage(workerData ** 2);
JS
node a.js
