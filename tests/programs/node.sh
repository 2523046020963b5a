# packages: nodejs
# size: small
node -e 'const os = require("os"); const crypto = require("crypto"); console.log(crypto.createHash("sha256").update("a").digest("hex").slice(0, 8), Object.keys(os.networkInterfaces()).length >= 0, new Intl.NumberFormat("en").format(1234.5), os.tmpdir())'
