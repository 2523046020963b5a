-- Reads JSON as strictly as it can be read: what another reader could take for something else is an error.
-- Objects are tables with __kind "object", arrays with "array"; null is json.null.
local json = { null = setmetatable({}, { __kind = "null" }) }

local DEEPEST = 16
local ESCAPES = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

function json.kind(value)
    local meta = type(value) == "table" and getmetatable(value)
    return meta and meta.__kind or type(value)
end

local function new(kind) return setmetatable({}, { __kind = kind }) end

local function space(text, at) return text:find("[^ \t\r\n]", at) or #text + 1 end

local function escaped(text, at)
    local letter = text:sub(at, at)
    if ESCAPES[letter] then return ESCAPES[letter], at + 1 end
    local digits = text:match("^u(%x%x%x%x)", at)
    assert(digits, "an escape is none")
    return utf8.char(tonumber(digits, 16)), at + 5
end

local function string_at(text, at)
    local parts = {}
    at = at + 1
    while true do
        local stop = assert(text:find('[%c"\\]', at), "a string does not end")
        parts[#parts + 1] = text:sub(at, stop - 1)
        local letter = text:sub(stop, stop)
        if letter == '"' then return table.concat(parts), stop + 1 end
        assert(letter == "\\", "a string has a control character")
        parts[#parts + 1], at = escaped(text, stop + 1)
    end
end

local function number_at(text, at)
    local whole = assert(text:match("^-?%d+", at), "something is no value")
    local rest = text:match("^[.eE][%d.eE+-]*", at + #whole) or ""
    return assert(math.tointeger(tonumber(whole)) or tonumber(whole .. rest), "a number is none"), at + #whole + #rest
end

local value_at

local function array_at(text, at, depth)
    local out = new("array")
    at = space(text, at + 1)
    if text:sub(at, at) == "]" then return out, at + 1 end
    while true do
        out[#out + 1], at = value_at(text, at, depth + 1)
        at = space(text, at)
        local letter = text:sub(at, at)
        if letter == "]" then return out, at + 1 end
        assert(letter == ",", "an array does not end")
        at = at + 1
    end
end

local function object_at(text, at, depth)
    local out, seen = new("object"), {}
    at = space(text, at + 1)
    if text:sub(at, at) == "}" then return out, at + 1 end
    while true do
        local name
        at = space(text, at)
        assert(text:sub(at, at) == '"', "an object has no name there")
        name, at = string_at(text, at)
        at = space(text, at)
        assert(text:sub(at, at) == ":", "a name has no value")
        -- The engine reads names whatever their case is: two that differ in nothing else would be one.
        assert(not seen[name:lower()], "a name is there twice")
        seen[name:lower()] = true
        out[name], at = value_at(text, at + 1, depth + 1)
        at = space(text, at)
        local letter = text:sub(at, at)
        if letter == "}" then return out, at + 1 end
        assert(letter == ",", "an object does not end")
        at = at + 1
    end
end

local WORDS = { ["true"] = true, ["false"] = false, ["null"] = json.null }

function value_at(text, at, depth)
    assert(depth <= DEEPEST, "it is too deep")
    at = space(text, at)
    local letter = text:sub(at, at)
    if letter == "{" then return object_at(text, at, depth) end
    if letter == "[" then return array_at(text, at, depth) end
    if letter == '"' then return string_at(text, at) end
    local word = text:match("^%l+", at)
    if word and WORDS[word] ~= nil then return WORDS[word], at + #word end
    return number_at(text, at)
end

-- The value, or nil and what is wrong.
function json.read(text)
    local fine, value, at = pcall(value_at, text, 1, 1)
    if not fine then return nil, (tostring(value):gsub("^.*:%d+: ", "")) end
    if space(text, at) <= #text then return nil, "something follows it" end
    return value
end

return json
