# packages: chromium
# size: large
# limits: memory_bytes=2147483648 pids=512 wall_ms=120000 cpus=2 disk_bytes=1073741824
export HOME=$PWD; printf '<title>t</title><body><script>document.body.textContent = 6 * 7</script>' > a.html
chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --dump-dom "file://$PWD/a.html" 2>/dev/null | grep -o '<body>.*</body>'
