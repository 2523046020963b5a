# packages: node-typescript nodejs
# size: small
# limits: memory_bytes=1073741824
echo 'const n: number = 6 * 7; console.log(n);' > a.ts; tsc --outFile a.js a.ts && node a.js
