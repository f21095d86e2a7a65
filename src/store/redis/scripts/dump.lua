-- Reads and writes all records unchanged.

-- Makes later records come after the given place.
local function keep_place(thread, place)
  local last = tonumber(redis.call('GET', thread .. 'places') or '0')
  if last <= tonumber(place) then redis.call('SET', thread .. 'places', string.format('%d', tonumber(place) + 1)) end
end

-- Restores an entry in the memory sets, with its original change number.
local function restore_memory(thread, what, id, change, is_open, call)
  if change == '' then return end
  local clock = memory_clock(thread)
  redis.call('HSETNX', clock, 'epoch', call)
  if tonumber(redis.call('HGET', clock, 'change') or '0') < tonumber(change) then
    redis.call('HSET', clock, 'change', change)
  end
  put_in_memory(thread, what, id, change, is_open == '1')
end

--- write-turn
-- KEYS: workspace. ARGV: turn, event, created, request, place, status, attempt, outcome, ended (both
-- empty: not ended), thread, asker, number of steps, then field and JSON of each step and of each usage event.
local workspace, thread, turn, created = KEYS[1], ARGV[10], ARGV[1], ARGV[3]
local group, last_step = workspace .. 'turn:' .. turn, 12 + 2 * tonumber(ARGV[12])
redis.call('HSET', group, 'status', ARGV[6], 'attempt', ARGV[7], 'thread', thread, 'created', created,
  'request', ARGV[4], 'event', ARGV[2], 'place', ARGV[5])
if ARGV[9] ~= '' then redis.call('HSET', group, 'outcome', ARGV[8], 'ended', ARGV[9]) end
if ARGV[11] ~= '' then redis.call('HSET', group, 'asked_by', ARGV[11]) end
for at = 13, last_step, 2 do put_step(group, ARGV[at], ARGV[at + 1]) end
for at = last_step + 1, #ARGV, 2 do
  redis.call('HSETNX', group, ARGV[at], redis.call('HLEN', group) .. ' ' .. ARGV[at + 1])
end
redis.call('ZADD', thread .. 'turns', created, ARGV[5] .. turn)
redis.call('SET', workspace .. 'event:' .. ARGV[2], turn)
if ARGV[6] ~= 'ended' then redis.call('ZADD', workspace .. 'unfinished', created, turn) end
redis.call('ZADD', workspace .. 'threads', 'LT', created, thread)
keep_place(thread, ARGV[5])
return 'written'

--- write-message
-- KEYS: workspace. ARGV: call, id, kind and turn, role and status, created, JSON, place, shard, change,
-- open (1 or 0), channel private (1 or 0), vector, thread; absent values are empty.
local thread, id, role_and_status, created, place = ARGV[13], ARGV[2], ARGV[4], ARGV[5], ARGV[7]
local kind, turn = string.sub(ARGV[3], 1, 1), string.sub(ARGV[3], 2)
place_message(thread, kind, turn, id, role_and_status, created, place, ARGV[6])
if ARGV[8] ~= '' then redis.call('HSET', thread .. 'sharded', id, ARGV[8]) end
if ARGV[12] ~= '' then redis.call('HSET', thread .. 'vectors', 'm:' .. id, ARGV[12]) end
restore_memory(thread, 'messages', id, ARGV[9], ARGV[10], ARGV[1])
if ARGV[11] == '1' then close_channel(thread, role_and_status, created) end
keep_place(thread, place)
return 'written'

--- write-shard
-- KEYS: workspace. ARGV: call, id, value, ages from, change, open (1 or 0), channel private (1 or 0),
-- vector, thread; absent values are empty.
local thread, id = ARGV[9], ARGV[2]
redis.call('HSET', thread .. 'shards', id, ARGV[3])
redis.call('ZADD', thread .. 'shard-ages', ARGV[4], id)
redis.call('ZADD', KEYS[1] .. 'threads', 'LT', ARGV[4], thread)
if ARGV[8] ~= '' then redis.call('HSET', thread .. 'vectors', 's:' .. id, ARGV[8]) end
restore_memory(thread, 'shards', id, ARGV[5], ARGV[6], ARGV[1])
if ARGV[7] == '1' then close_channel(thread, '', '0') end
return 'written'

--- write-forgotten
-- KEYS: workspace. ARGV: event, when it expires, its time to live in milliseconds.
local events = forgotten_events(KEYS[1])
redis.call('ZADD', events, ARGV[2], ARGV[1])
redis.call('PEXPIRE', events, math.max(redis.call('PTTL', events), tonumber(ARGV[3])))
return 'written'

--- write-spending
-- KEYS: workspace. ARGV: scope, day, sum.
redis.call('HSET', KEYS[1] .. 'spending:' .. ARGV[1], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[1] .. 'spending', 'LT', ARGV[2], ARGV[1])
return 'written'

--- read-threads
-- Reads the records of a workspace's threads from a cursor on, up to a limit, and fewer if they are long:
-- Upstash refuses replies above some MB.
-- KEYS: workspace. ARGV: the cursor (index of the thread, number of the part, offset in it), limit.
-- Returns {items, the next cursor, or nil after the last record}.
local index, part, offset, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local function memory_of(thread, what, id)
  local own_set, _, workspace_set = memory_sets(thread, what)
  local change = redis.call('ZSCORE', own_set, thread .. id)
  if not change then return false end
  local _, channel = places_of(thread)
  return { change, redis.call('ZSCORE', workspace_set, thread .. id) and 1 or 0,
    redis.call('HEXISTS', memory_clock(thread), 'private:' .. channel) }
end

local function read_turn(thread, member)
  local turn, fields = string.sub(member, 16), {}
  local all = redis.call('HGETALL', KEYS[1] .. 'turn:' .. turn)
  for at = 1, #all, 2 do
    if string.sub(all[at], 1, 2) ~= 'm:' then
      fields[#fields + 1], fields[#fields + 2] = all[at], all[at + 1]
    end
  end
  return #fields > 0 and { 'turn', thread, turn, fields }
end

local function read_one_message(thread, member)
  local id = string.sub(member, 16)
  local kind, turn = owner_of(thread, id)
  local value = kind and read_message(thread, kind, turn, id)
  return value and { 'message', thread, { id, kind .. turn, value }, redis.call('HGET', thread .. 'sharded', id),
    memory_of(thread, 'messages', id), redis.call('HGET', thread .. 'vectors', 'm:' .. id) }
end

local function read_shard(thread, id)
  local value = redis.call('HGET', thread .. 'shards', id) or ''
  return string.sub(value, 1, 1) == '-' and { 'shard', { thread, id, value }, memory_of(thread, 'shards', id),
    redis.call('HGET', thread .. 'vectors', 's:' .. id) }
end

local parts = { { 'turns', read_turn }, { 'messages', read_one_message }, { 'shard-ages', read_shard } }
local found, checked, length, most_length = {}, 0, 0, 500000
while checked < limit and length < most_length do
  local thread = redis.call('ZRANGE', KEYS[1] .. 'threads', index, index)[1]
  if not thread then return { found, false } end
  local set, read = unpack(parts[part])
  local members = redis.call('ZRANGE', thread .. set, offset, offset + limit - checked - 1)
  for _, member in ipairs(members) do
    if length >= most_length then break end
    local item = read(thread, member)
    if item then found[#found + 1], length = item, length + #cjson.encode(item) end
    checked, offset = checked + 1, offset + 1
  end
  if #members == 0 then
    index, part, offset = index + math.floor(part / #parts), part % #parts + 1, 0
  end
end
return { found, { index, part, offset } }

--- read-spending
-- KEYS: workspace. ARGV: offset, limit. Returns {scope, alternating days and sums} for each scope.
local found = {}
for at, scope in ipairs(redis.call('ZRANGE', KEYS[1] .. 'spending', ARGV[1], ARGV[1] + ARGV[2] - 1)) do
  found[at] = { scope, redis.call('HGETALL', KEYS[1] .. 'spending:' .. scope) }
end
return found

--- read-expiring
-- KEYS: workspace or claims. ARGV: the name of a set ordered by expiry, now, offset, limit. Returns alternating
-- members that have not expired and when they do.
return redis.call('ZRANGEBYSCORE', KEYS[1] .. ARGV[1], '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', ARGV[3], ARGV[4])
