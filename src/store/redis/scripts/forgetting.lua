--- forget
-- Forgets turns and messages of a thread with everything made from them.
-- KEYS: workspace. ARGV: call, now, when the events expire, how long that is in milliseconds, thread, the
-- numbers of turns and messages, the turns, the messages, events that must not start a turn.
-- Returns the numbers of turns, messages and shards.
local workspace, thread, last_turn = KEYS[1], ARGV[5], 7 + tonumber(ARGV[6])
local last_message = last_turn + tonumber(ARGV[7])
local answer = thread .. 'forgot:' .. ARGV[1]
-- A repeat of the same call after a lost reply.
local known = redis.call('LRANGE', answer, 0, -1)
if known[1] then return { tonumber(known[1]), tonumber(known[2]), tonumber(known[3]) } end

local groups, seen, messages, message_count = {}, {}, {}, 0
local function add_message_of(kind, turn, id)
  if not messages[id] then message_count = message_count + 1 end
  messages[id] = { kind, turn }
end
local function add_turn(turn)
  local group = workspace .. 'turn:' .. turn
  if seen[turn] or thread_of(group) ~= thread then return end
  seen[turn] = true
  groups[#groups + 1] = group
  for _, name in ipairs(redis.call('HKEYS', group)) do
    if string.sub(name, 1, 2) == 'm:' then add_message_of('t', turn, string.sub(name, 3)) end
  end
end
for at = 8, last_turn do add_turn(ARGV[at]) end
for at = last_turn + 1, last_message do
  local kind, turn = owner_of(thread, ARGV[at])
  if kind == 't' then add_turn(turn)
  elseif kind and not messages[ARGV[at]] then add_message_of(kind, turn, ARGV[at]) end
end

local shards, shard_count = thread .. 'shards', 0
local function remove(id)
  local value = redis.call('HGET', shards, id)
  if not value or string.sub(value, 1, 1) ~= '-' then return end
  for _, source in ipairs(decode(string.sub(value, 3)).sourceIds) do
    if redis.call('HGET', thread .. 'sharded', source) == id then redis.call('HDEL', thread .. 'sharded', source) end
  end
  remove_shard(thread, id)
  shard_count = shard_count + 1
end
for message in pairs(messages) do remove(redis.call('HGET', thread .. 'sharded', message) or '') end

local events = forgotten_events(workspace)
redis.call('ZREMRANGEBYSCORE', events, '-inf', ARGV[2])
local function block_event(event)
  redis.call('ZADD', events, ARGV[3], event)
  redis.call('PEXPIRE', events, ARGV[4])
end
for at = last_message + 1, #ARGV do block_event(ARGV[at]) end
for _, group in ipairs(groups) do
  block_event(redis.call('HGET', group, 'event'))
  remove_turn(group)
end
for id, owner in pairs(messages) do
  if owner[1] ~= 't' then remove_message(thread, owner[1], owner[2], id) end
end
if message_count > 0 then void_memory(thread, ARGV[1]) end
-- Superseded shards.
if redis.call('EXISTS', thread .. 'messages') == 0 then
  for _, id in ipairs(redis.call('HKEYS', shards)) do remove_shard(thread, id) end
end
settle(thread)
redis.call('RPUSH', answer, #groups, message_count, shard_count)
redis.call('PEXPIRE', answer, 600000)
return { #groups, message_count, shard_count }

--- sweep
-- Deletes expired records of a workspace, up to a limit.
-- KEYS: workspace. ARGV: retention, the first day of spending to keep, limit.
-- Returns the number of records deleted, and whether nothing is left that has to be found (1 or 0).
local workspace, first_day, limit = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local since = kept_since(workspace, ARGV[1])
local threads, spending = workspace .. 'threads', workspace .. 'spending'
local swept = 0

local function expired(set)
  if swept == limit then return {} end
  return redis.call('ZRANGEBYSCORE', set, '-inf', '(' .. since, 'LIMIT', 0, limit - swept)
end

local function sweep_thread(thread)
  for _, member in ipairs(expired(thread .. 'turns')) do
    remove_turn(workspace .. 'turn:' .. string.sub(member, 16))
    -- Needed if the server has evicted the turn, although it must not.
    redis.call('ZREM', thread .. 'turns', member)
    swept = swept + 1
  end
  for _, member in ipairs(expired(thread .. 'imported')) do
    local id = string.sub(member, 16)
    local kind, turn = owner_of(thread, id)
    -- The server may have evicted the hash of ids.
    remove_message(thread, kind or 'i', turn or '', id)
    for _, set in ipairs({ 'messages', 'questions', 'imported' }) do redis.call('ZREM', thread .. set, member) end
    swept = swept + 1
  end
  for _, id in ipairs(expired(thread .. 'shard-ages')) do
    remove_shard(thread, id)
    swept = swept + 1
  end
  settle(thread)
end

for _, thread in ipairs(redis.call('ZRANGEBYSCORE', threads, '-inf', '(' .. since, 'LIMIT', 0, limit)) do
  if swept < limit then sweep_thread(thread) end
end

local function sweep_spending(scope)
  local key, oldest = workspace .. 'spending:' .. scope, nil
  for _, day in ipairs(redis.call('HKEYS', key)) do
    if tonumber(day) < first_day and swept < limit then
      redis.call('HDEL', key, day)
      swept = swept + 1
    else
      oldest = math.min(oldest or tonumber(day), tonumber(day))
    end
  end
  if oldest then redis.call('ZADD', spending, oldest, scope) else redis.call('ZREM', spending, scope) end
end

if swept < limit then
  for _, scope in ipairs(redis.call('ZRANGEBYSCORE', spending, '-inf', '(' .. first_day, 'LIMIT', 0, limit - swept)) do
    sweep_spending(scope)
  end
end
local is_empty = redis.call('EXISTS', threads, spending, forgotten_events(workspace)) == 0
return { swept, is_empty and 1 or 0 }
