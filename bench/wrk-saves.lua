-- Posts states that differ in one number: to 64 threads in turn, or, with a path of its own, to that. Prints as wrk.lua does.
dofile((debug.getinfo(1, "S").source:match("^@(.*)/") or ".") .. "/wrk.lua")

local file = assert(io.open(os.getenv("BENCH_BODY")))
local before, after = file:read("*a"):match("^(.*)NUMBER(.*)$")
file:close()
local run = string.format("%d-%d", os.time(), math.floor(os.clock() * 1000000))
local headers, count

function init()
    headers = { ["Authorization"] = os.getenv("BENCH_AUTHORIZATION"), ["Content-Type"] = "application/json" }
    count = 0
end

function request()
    count = count + 1
    local path = wrk.path
    if path == "/v1/threads/" then
        path = path .. "load-" .. count % 64 .. "/checkpoints"
    end
    return wrk.format("POST", path, headers, before .. run .. "-" .. count .. after)
end
