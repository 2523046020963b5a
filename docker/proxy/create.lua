-- Whether a container that is asked for stays within itself: every member of the body is one of those below, with a value that is
-- allowed there. What is not known is refused, by name. Made for the bodies that Caisson sends.
local json = require("json")

-- Rules: each says whether a value is allowed.
local function is(kind) return function(value) return json.kind(value) == kind end end
local function only(wanted) return function(value) return value == wanted end end
local function whole(value) return math.type(value) == "integer" and value >= 0 end
local function null_or(rule) return function(value) return value == json.null or rule(value) end end
local function matches(pattern) return function(value) return type(value) == "string" and value:find(pattern) ~= nil end end

local function one_of(...)
    local allowed = {}
    for _, each in ipairs({ ... }) do allowed[each] = true end
    return function(value) return type(value) ~= "table" and allowed[value] == true end
end

local function array_of(rule)
    return function(value)
        if json.kind(value) ~= "array" then return false end
        for _, each in ipairs(value) do
            if not rule(each) then return false end
        end
        return true
    end
end

local function just(wanted) return function(value) return json.kind(value) == "array" and #value == 1 and value[1] == wanted end end

-- All of `wanted`, and what else there may be.
local function with(wanted)
    return function(value)
        if json.kind(value) ~= "array" then return false end
        local there = {}
        for _, each in ipairs(value) do there[each] = true end
        for _, each in ipairs(wanted) do
            if not there[each] then return false end
        end
        return true
    end
end

local function none(value) return value == json.null or (type(value) == "table" and next(value) == nil) end

-- An object whose members all have a rule and keep to it. Returns the name of one that does not.
local function broken(rules, object)
    if json.kind(object) ~= "object" then return "it is no object" end
    for name, value in pairs(object) do
        if not rules[name] then return name end
        local fine, inner = rules[name](value)
        if not fine then return inner and name .. "." .. inner or name end
    end
end

local function object_of(rules)
    return function(value)
        local name = broken(rules, value)
        return name == nil, name
    end
end

-- Of the engine's host a container may see Caisson's volumes: that with the agent, and those with packages of skills.
local function volume_at(source, target)
    return object_of({
        Type = only("volume"),
        Source = matches(source),
        Target = matches(target),
        ReadOnly = is("boolean"),
        VolumeOptions = object_of({ NoCopy = is("boolean") }),
    })
end

local agent = volume_at("^caisson%-agent%-%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x$", "^/%.caisson/")
local package = volume_at("^caisson%-package%-[%w_.-]+$", "^/[%w_.-]+/[%w_.-]+$")

local function mount(value)
    local fine, inner = agent(value)
    if fine or package(value) then return true end
    return false, inner
end

-- What engines mask where nobody says what.
local masked = { "/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
    "/proc/timer_list", "/proc/timer_stats", "/sys" }

-- How much may be read of a disk.
local rate = object_of({ Path = matches("^/dev/[%w/_-]+$"), Rate = whole })

local host = {
    AutoRemove = is("boolean"),
    Binds = none,
    BlkioDeviceReadBps = array_of(rate),
    BlkioDeviceReadIOps = array_of(rate),
    CapAdd = none,
    CapDrop = just("ALL"),
    CgroupnsMode = only("private"),
    CpuShares = whole,
    Devices = none,
    Init = is("boolean"),
    IpcMode = one_of("private", "none"),
    LogConfig = object_of({ Type = only("none"), Config = none }),
    MaskedPaths = with(masked),
    Memory = whole,
    MemorySwap = whole,
    Mounts = array_of(mount),
    NanoCpus = whole,
    NetworkMode = only("none"),
    OomKillDisable = only(false),
    OomScoreAdj = whole,
    PidMode = only(""),
    PidsLimit = whole,
    PortBindings = none,
    Privileged = only(false),
    PublishAllPorts = only(false),
    ReadonlyRootfs = is("boolean"),
    RestartPolicy = object_of({ Name = one_of("", "no"), MaximumRetryCount = only(0) }),
    Runtime = one_of("runc", "runsc"),
    SecurityOpt = just("no-new-privileges"),
    ShmSize = whole,
    Tmpfs = is("object"),
    UTSMode = only(""),
    UsernsMode = only(""),
}
local host_needs = { "CapDrop", "NetworkMode", "SecurityOpt" }    -- what is left out would be the engine's default

local container = {
    AttachStderr = is("boolean"),
    AttachStdin = is("boolean"),
    AttachStdout = is("boolean"),
    Cmd = null_or(array_of(is("string"))),
    Entrypoint = null_or(array_of(is("string"))),
    Env = array_of(is("string")),
    Healthcheck = object_of({ Test = just("NONE") }),
    HostConfig = object_of(host),
    Hostname = is("string"),
    Image = is("string"),
    Labels = is("object"),
    OpenStdin = is("boolean"),
    StdinOnce = is("boolean"),
    StopSignal = only("SIGKILL"),
    Tty = is("boolean"),
    User = matches("^[1-9]%d*:[1-9]%d*$"),    -- never root, and never a name, which the image could give root
    WorkingDir = is("string"),
}
local container_needs = { "HostConfig", "Image", "User" }

local function missing(names, object)
    for _, name in ipairs(names) do
        if object[name] == nil then return name .. " is missing" end
    end
end

local function refusal(body)
    local wanted, wrong = json.read(body)
    if wrong then return "its body cannot be read: " .. wrong end
    local name = broken(container, wanted)
    if name then return name .. " is not allowed, or not with that value" end
    return missing(container_needs, wanted) or missing(host_needs, wanted.HostConfig)
end

-- Of a body that is not here as a whole the engine would read more than was looked at.
local function refusal_of_request(txn)
    local body = txn.sf:req_body() or ""
    if tonumber(txn.sf:req_hdr("content-length") or "") ~= #body then return "its body does not come as a whole, or is too large" end
    return refusal(body)
end

-- Sets txn.container_is_fine, or txn.refused to what is wrong, in letters that are safe in a JSON string.
local function check_create(txn)
    local why = refusal_of_request(txn)
    if why then
        txn:set_var("txn.refused", (why:gsub("[^%w ._:,-]", "?"):sub(1, 200)))
    else
        txn:set_var("txn.container_is_fine", true)
    end
end

if core then
    core.register_action("check_create", { "http-req" }, check_create)
end

return { refusal = refusal }
