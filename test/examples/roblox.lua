-- What the script of a game finds on Roblox, for a plain Lua. roblox-child.ts, run by the command in the variable
-- ROBLOX, makes the requests and reads JSON.

local function encode(value)
	if type(value) ~= "table" then
		return type(value) == "string" and string.format("%q", value) or tostring(value)
	end
	local parts = {}
	for key, each in pairs(value) do
		table.insert(parts, #value > 0 and encode(each) or encode(key) .. ":" .. encode(each))
	end
	local all = table.concat(parts, ",")
	return #value > 0 and "[" .. all .. "]" or "{" .. all .. "}"
end

local function ask(work, text)
	local name = os.tmpname()
	local input = assert(io.open(name, "wb"))
	input:write(text)
	input:close()
	local node = assert(io.popen(os.getenv("ROBLOX") .. " " .. work .. " " .. name))
	local answer = node:read("a")
	node:close()
	os.remove(name)
	if answer == "" then
		error("HttpError: ConnectFail")
	end
	return load("return " .. answer)()
end

local HttpService = {}

function HttpService:GetSecret(name)
	assert(name == "rolelink")
	return {
		AddPrefix = function(_, prefix)
			return prefix .. os.getenv("TOKEN")
		end,
	}
end

function HttpService:JSONEncode(value)
	return encode(value)
end

function HttpService:JSONDecode(text)
	return ask("decode", text)
end

function HttpService:RequestAsync(request)
	return ask("request", encode(request))
end

game = {
	GetService = function(_, name)
		return assert(({ HttpService = HttpService })[name])
	end,
}

task = {
	wait = function(seconds)
		os.execute("sleep " .. seconds)
	end,
}
