-- A game's server on Roblox for a plain Lua, after Roblox's documentation: time that passes only while everything
-- waits, players, secrets, messages, and real HTTP by the test, which reads lines of JSON and answers with lines of
-- Lua. Arguments: the module, and the scenario.

local modulePath, scenarioPath = ...

local function quote(text)
	return '"' .. string.gsub(text, '[%c"\\\127]', function(char)
		return string.format("\\u%04x", string.byte(char))
	end) .. '"'
end

-- As JSONEncode: a table with a first element is an array, an empty one too, and nothing becomes null.
local function encode(value, inRequest)
	if type(value) == "string" then
		return quote(value)
	elseif type(value) == "number" then
		return math.type(value) == "integer" and tostring(value) or string.format("%.17g", value)
	elseif type(value) == "boolean" then
		return tostring(value)
	elseif type(value) ~= "table" then
		error("Can't convert to JSON")
	end
	local parts = {}
	for key, each in pairs(value) do
		table.insert(parts, #value > 0 and encode(each, inRequest) or quote(tostring(key)) .. ":" .. encode(each, inRequest))
	end
	local all = table.concat(parts, ",")
	return next(value) ~= nil and #value == 0 and "{" .. all .. "}" or "[" .. all .. "]"
end

local function exchange(what, value)
	io.stdout:write(encode({ what, value == nil and {} or value }), "\n")
	io.stdout:flush()
	return load("return " .. assert(io.read("l"), "the test is gone"))()
end

----- Time and threads -----

local now, order, timers = 0, 0, {}

os.clock = function()
	return now
end

warn = function(...)
	exchange("warn", table.concat({ ... }, " "))
end

local function wake(at, thread, ...)
	order = order + 1
	table.insert(timers, { at = at, order = order, thread = thread, values = table.pack(...) })
end

local function resume(thread, ...)
	local ok, problem = coroutine.resume(thread, ...)
	if not ok then
		exchange("error", debug.traceback(thread, tostring(problem)))
	end
	return thread
end

local function threadOf(callback)
	return type(callback) == "thread" and callback or coroutine.create(callback)
end

task = {
	spawn = function(callback, ...)
		return resume(threadOf(callback), ...)
	end,
	defer = function(callback, ...)
		local thread = threadOf(callback)
		wake(now, thread, ...)
		return thread
	end,
	delay = function(seconds, callback, ...)
		local thread = threadOf(callback)
		wake(now + seconds, thread, ...)
		return thread
	end,
	wait = function(seconds)
		local began = now
		wake(now + math.max(seconds or 0, 1 / 60), coroutine.running())
		coroutine.yield()
		return now - began
	end,
	cancel = function(thread)
		for index = #timers, 1, -1 do
			if timers[index].thread == thread then
				table.remove(timers, index)
			end
		end
		assert(coroutine.close(thread))
	end,
}

local function signal()
	local handlers = {}
	local self = {}
	function self:Connect(callback)
		local connection = {}
		table.insert(handlers, { connection = connection, callback = callback })
		function connection:Disconnect()
			for index = #handlers, 1, -1 do
				if handlers[index].connection == connection then
					table.remove(handlers, index)
				end
			end
		end
		return connection
	end
	return self, function(...)
		for _, each in ipairs({ table.unpack(handlers) }) do
			task.defer(each.callback, ...)
		end
	end
end

----- HttpService -----

local Secret = {
	__tostring = function()
		return "Secret"
	end,
	__concat = function()
		error("attempt to concatenate a Secret")
	end,
}
Secret.__index = {
	AddPrefix = function(self, prefix)
		return setmetatable({ secret = self.secret, prefix = prefix }, Secret)
	end,
}

local requestsAt = {}
local HttpService = {}

function HttpService:GetSecret(name)
	assert(type(name) == "string", "Argument 1 missing or nil")
	if not exchange("secret", name) then
		error("Can't find secret with given key")
	end
	return setmetatable({ secret = name, prefix = "" }, Secret)
end

function HttpService:JSONEncode(value)
	return encode(value)
end

function HttpService:JSONDecode(text)
	local answer = exchange("decode", text)
	if answer.problem ~= nil then
		error("Can't parse JSON")
	end
	return answer.value
end

function HttpService:GenerateGUID(inBraces)
	assert(inBraces == false)
	return exchange("guid")
end

function HttpService:RequestAsync(request)
	assert(type(request.Url) == "string" and string.find(request.Url, "^https?://"), "Http requests must be http or https")
	assert(request.Body == nil or type(request.Body) == "string", "Body must be a string")
	assert(request.Method ~= "GET" or request.Body == nil, "GET has no body")
	for name, value in pairs(request.Headers) do
		assert(type(value) == "string" or getmetatable(value) == Secret, name .. " is no text")
		assert(not string.find(string.lower(name), "^user%-agent$"), "User-Agent is locked")
	end
	while requestsAt[1] ~= nil and now - requestsAt[1] >= 60 do
		table.remove(requestsAt, 1)
	end
	assert(#requestsAt < 500, "Number of requests exceeded limit")
	table.insert(requestsAt, now)
	task.wait(0.1)
	local answer = exchange("request", { at = now, request = request })
	if answer.problem ~= nil then
		error("HttpError: " .. answer.problem)
	end
	return answer
end

----- MessagingService, Players, game -----

local subscriptions = {}
local MessagingService = {}

function MessagingService:SubscribeAsync(topic, callback)
	assert(type(topic) == "string" and #topic >= 1 and #topic <= 80, "The topic has 1 to 80 characters")
	task.wait(0.2)
	if exchange("subscribe", topic) == false then
		error("MessagingService: internal error")
	end
	local connection = {}
	subscriptions[connection] = { topic = topic, callback = callback }
	function connection:Disconnect()
		subscriptions[connection] = nil
	end
	return connection
end

function publish(topic, data)
	assert(#data <= 1024, "The message has more than 1,024 bytes")
	for _, each in pairs(subscriptions) do
		if each.topic == topic then
			task.delay(0.3, each.callback, { Data = data, Sent = now })
		end
	end
end

local Players, present, added, removed = {}, {}, nil, nil
Players.PlayerAdded, added = signal()
Players.PlayerRemoving, removed = signal()

function Players:GetPlayers()
	return { table.unpack(present) }
end

local Player = {}
Player.__index = function(_, name)
	return Player[name] or error(name .. " is not a valid member of Player")
end

function Player:SetAttribute(name, value)
	self.attributes[name] = value
end

function Player:GetAttribute(name)
	return self.attributes[name]
end

function join(userId)
	local player = setmetatable({ UserId = math.tointeger(userId), attributes = {} }, Player)
	table.insert(present, player)
	added(player)
	return player
end

function leave(player)
	for index = #present, 1, -1 do
		if present[index] == player then
			table.remove(present, index)
		end
	end
	removed(player)
end

local atClose, remotes = {}, {}
local services = { HttpService = HttpService, MessagingService = MessagingService, Players = Players }

-- Roblox makes no difference between a child and a property.
local storage = setmetatable({}, {
	__index = function(_, name)
		remotes[name] = remotes[name] or {}
		return remotes[name]
	end,
})

-- A player's client calls a RemoteFunction.
function invoke(name, ...)
	return remotes[name].OnServerInvoke(...)
end

game = {
	ReplicatedStorage = storage,
	ServerScriptService = { Rolelink = "the ModuleScript" },
	GetService = function(_, name)
		return assert(services[name], "no such service")
	end,
	BindToClose = function(_, callback)
		table.insert(atClose, callback)
	end,
}

-- Everybody leaves, and the server ends with the last callback, or after 30 seconds.
function shutDown()
	for _, player in ipairs(Players:GetPlayers()) do
		leave(player)
	end
	local open, last = #atClose, now + 30
	for _, callback in ipairs(atClose) do
		task.spawn(function()
			callback()
			open = open - 1
		end)
	end
	while open > 0 and now < last do
		task.wait(0.05)
	end
	timers = {}
	return open == 0
end

----- The scenario -----

-- Has the test do something, and gives its answer.
function ask(what, value)
	return exchange("ask", { what = what, value = value == nil and {} or value })
end

-- Waits for something, and gives the seconds that it took; nil after too many.
function await(seconds, check)
	local began = now
	while not check() do
		if now - began > seconds then
			return nil
		end
		task.wait(0.05)
	end
	return now - began
end

function clock()
	return now
end

Rolelink = assert(loadfile(modulePath))()
function require(script)
	return assert(script == game.ServerScriptService.Rolelink and Rolelink, "no such module")
end
local scenario = coroutine.create(assert(loadfile(scenarioPath)))
resume(scenario)
while coroutine.status(scenario) ~= "dead" and #timers > 0 do
	local soonest = 1
	for index, timer in ipairs(timers) do
		local other = timers[soonest]
		if timer.at < other.at or (timer.at == other.at and timer.order < other.order) then
			soonest = index
		end
	end
	local timer = table.remove(timers, soonest)
	now = math.max(now, timer.at)
	resume(timer.thread, table.unpack(timer.values, 1, timer.values.n))
end
exchange("end", { at = now, isDone = coroutine.status(scenario) == "dead" })
