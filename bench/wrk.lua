-- Sends the key, and prints what bench/run reads as one line of JSON.
wrk.headers["Authorization"] = os.getenv("BENCH_AUTHORIZATION")

function done(summary, latency, requests)
    local e = summary.errors
    io.write(string.format('{"requests": %d, "duration_us": %d, "p50_us": %d, "p99_us": %d, "errors": %d}\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
