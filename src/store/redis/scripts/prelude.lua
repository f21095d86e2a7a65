-- What every script begins with. A thread is named by what all of its keys begin with, a turn group
-- by its key: `council:{<thread>}:turn:<turn>`. docs/redis.md shows every key.

-- A message is kept as `<role><status><privacy> <createdAt> <place> <the rest as JSON>`: role h or a,
-- status p or c, privacy o (everybody of the workspace may read it), x or nothing (nobody knows), place
-- its number in the thread, of a fixed width so that members sort by it. What a server has thrown away,
-- although it should not, has no value and no parts.
local function message_head(value)
  local role, status, created, place = string.match(value or '', '^(%a)(%a)%a? (%S+) (%d+) ')
  return { role = role, status = status, created = created, place = place }
end

local function message_value(role_and_status, created, place, json)
  return role_and_status .. ' ' .. created .. ' ' .. place .. ' ' .. json
end

local function next_place(thread)
  return string.format('%015d', redis.call('INCR', thread .. 'places'))
end

local function thread_of(group)
  return string.match(group, '^(council:{[^}]*}:)turn:')
end

local function turn_of(group)
  return string.sub(group, #thread_of(group) + #'turn:' + 1)
end

-- Who has a message id: `t<turn>` a turn made here, `x<turn>` a message from elsewhere that names a
-- turn of its own, `i` a message from elsewhere that names none; false: nobody.
local function owner_of(thread, id)
  local owner = redis.call('HGET', thread .. 'ids', id)
  if not owner then return false, false end
  return string.sub(owner, 1, 1), string.sub(owner, 2)
end

local function read_message(thread, kind, turn, id)
  if kind == 'i' then return redis.call('GET', thread .. 'message:' .. id) end
  return redis.call('HGET', thread .. 'turn:' .. turn, 'm:' .. id)
end

local function write_message(thread, kind, turn, id, value)
  if kind == 'i' then
    redis.call('SET', thread .. 'message:' .. id, value)
  else
    redis.call('HSET', thread .. 'turn:' .. turn, 'm:' .. id, value)
  end
end

-- The workspace and the channel of a thread; a thread id of fewer parts is its own.
local function places_of(thread)
  local name = string.match(thread, '^council:{([^}]*)}:$')
  local workspace, channel = string.match(name, '^([^:]*:[^:]*):([^:]*):')
  if not workspace then return name, name end
  return workspace, workspace .. ':' .. channel
end

-- Threads of a workspace in which anything was said; of equal scores, so in the order of their names.
local function threads_of_workspace(thread)
  return 'council:memory:threads:' .. places_of(thread)
end

-- Events of turns that were forgotten, by when that may be forgotten itself.
local function forgotten_events(thread)
  return 'council:memory:forgotten:' .. places_of(thread)
end

local function memory_clock(thread)
  return 'council:memory:clock:' .. places_of(thread)
end

-- The sets of what is remembered, by when it was completed: of the thread, its channel, its workspace.
-- What is remembered is `messages` or `shards`.
local function memory_sets(thread, what)
  local workspace, channel = places_of(thread)
  return thread .. 'remembered-' .. what, 'council:memory:channel-' .. what .. ':' .. channel,
    'council:memory:workspace-' .. what .. ':' .. workspace
end

local function trim(set)
  return redis.call('ZREMRANGEBYRANK', set, 0, -(most_remembered + 1))
end

-- Begins a clock where there is none. What was read by another epoch is void.
local function tick(clock, call)
  redis.call('HSETNX', clock, 'epoch', call)
  return redis.call('HINCRBY', clock, 'change', 1)
end

-- Takes up what is complete, or has changed, in all the sets that it may be read by.
local function remember(thread, what, id, privacy, call)
  local _, channel = places_of(thread)
  local clock, member = memory_clock(thread), thread .. id
  local own_set, channel_set, workspace_set = memory_sets(thread, what)
  local change = tick(clock, call)
  local added = redis.call('ZADD', own_set, change, member)
  redis.call('ZADD', channel_set, change, member)
  if privacy == 'o' and redis.call('HEXISTS', clock, 'private:' .. channel) == 0 then
    redis.call('ZADD', workspace_set, change, member)
    trim(workspace_set)
  else
    redis.call('ZREM', workspace_set, member)
  end
  trim(channel_set)
  redis.call('HINCRBY', clock, 'count', added - trim(own_set))
end

-- Takes something out of all sets. The last one takes the clock with it.
local function unremember(thread, what, id)
  local clock, member = memory_clock(thread), thread .. id
  local own_set, channel_set, workspace_set = memory_sets(thread, what)
  redis.call('ZREM', channel_set, member)
  redis.call('ZREM', workspace_set, member)
  if redis.call('ZREM', own_set, member) == 1 and redis.call('HINCRBY', clock, 'count', -1) < 1 then
    redis.call('DEL', clock)
  end
end

-- Voids what was read of a thread's workspace: something of it is gone.
local function void_memory(thread, call)
  local clock = memory_clock(thread)
  if redis.call('EXISTS', clock) == 1 then redis.call('HSET', clock, 'epoch', call) end
end

-- Takes note of whether a channel is private now. What was said in it before is then private, too.
local function notice(thread, privacy, call)
  local _, channel = places_of(thread)
  local clock = memory_clock(thread)
  if privacy == 'o' then redis.call('HDEL', clock, 'private:' .. channel) end
  if privacy ~= 'x' or redis.call('HSETNX', clock, 'private:' .. channel, '1') == 0 then return end
  local hidden = 0
  for _, what in ipairs({ 'messages', 'shards' }) do
    local _, channel_set, workspace_set = memory_sets(thread, what)
    for _, member in ipairs(redis.call('ZRANGE', channel_set, 0, -1)) do
      hidden = hidden + redis.call('ZREM', workspace_set, member)
    end
  end
  if hidden > 0 then void_memory(thread, call) end
end

-- Takes up a message that was stored, if it is complete. An old text keeps no vector.
local function remember_message(thread, id, role_and_status, call)
  if string.sub(role_and_status, 2, 2) ~= 'c' then return end
  redis.call('HDEL', thread .. 'vectors', 'm:' .. id)
  remember(thread, 'messages', id, string.sub(role_and_status, 3, 3), call)
end

-- Stores a message that the thread does not have, at its place in the thread's order.
local function add_message(thread, kind, turn, id, role_and_status, created, place, json, call)
  local member = place .. id
  write_message(thread, kind, turn, id, message_value(role_and_status, created, place, json))
  redis.call('HSET', thread .. 'ids', id, kind .. turn)
  redis.call('ZADD', thread .. 'messages', created, member)
  redis.call('ZADD', threads_of_workspace(thread), 0, thread)
  if string.sub(role_and_status, 1, 1) == 'h' then
    redis.call('ZADD', thread .. 'questions', created, member)
  end
  if kind ~= 't' then redis.call('ZADD', thread .. 'imported', created, member) end
  remember_message(thread, id, role_and_status, call)
end

local function remove_message(thread, kind, turn, id)
  local value = read_message(thread, kind, turn, id)
  local place = message_head(value).place
  if place then
    local member = place .. id
    redis.call('ZREM', thread .. 'messages', member)
    redis.call('ZREM', thread .. 'questions', member)
    redis.call('ZREM', thread .. 'imported', member)
    if redis.call('EXISTS', thread .. 'messages') == 0 then
      redis.call('ZREM', threads_of_workspace(thread), thread)
    end
  end
  unremember(thread, 'messages', id)
  redis.call('HDEL', thread .. 'vectors', 'm:' .. id)
  redis.call('HDEL', thread .. 'sharded', id)
  redis.call('HDEL', thread .. 'sharded-before', id)
  redis.call('HDEL', thread .. 'ids', id)
  if kind == 'i' then
    redis.call('DEL', thread .. 'message:' .. id)
  else
    redis.call('HDEL', thread .. 'turn:' .. turn, 'm:' .. id)
  end
end

-- Whether the key holds a turn that has not expired.
local function is_kept(group, kept_since)
  local created = redis.call('HGET', group, 'created')
  return created and tonumber(created) >= tonumber(kept_since)
end

-- Stores a step, in the place of one with the same field. Fields are never taken out of a group that
-- is kept: their number tells which came first.
local function put_step(group, field, json)
  local before = redis.call('HGET', group, field)
  local order = before and string.match(before, '^%d+') or redis.call('HLEN', group)
  redis.call('HSET', group, field, order .. ' ' .. json)
end

-- Removes a turn group with everything that points to it.
local function remove_turn(group)
  local thread, turn = thread_of(group), turn_of(group)
  for _, name in ipairs(redis.call('HKEYS', group)) do
    if string.sub(name, 1, 2) == 'm:' then
      remove_message(thread, 't', turn, string.sub(name, 3))
    end
  end
  local facts = redis.call('HMGET', group, 'place', 'event')
  if facts[1] then redis.call('ZREM', thread .. 'turns', facts[1] .. turn) end
  if facts[2] and redis.call('GET', 'council:event:' .. facts[2]) == group then
    redis.call('DEL', 'council:event:' .. facts[2])
  end
  redis.call('DEL', 'council:turn:' .. turn)
  redis.call('ZREM', 'council:unfinished', group)
  redis.call('DEL', group)
end

local function remove_shard(thread, id)
  unremember(thread, 'shards', id)
  redis.call('HDEL', thread .. 'vectors', 's:' .. id)
  redis.call('ZREM', thread .. 'shard-ages', id)
  redis.call('HDEL', thread .. 'shards', id)
end

-- The superseded shards that a message was part of before.
local function shards_before(thread, message)
  local list = {}
  for id in string.gmatch(redis.call('HGET', thread .. 'sharded-before', message) or '', '[^\n]+') do
    list[#list + 1] = id
  end
  return list
end

local function note_before(thread, message, shard)
  local list = shards_before(thread, message)
  for _, id in ipairs(list) do
    if id == shard then return end
  end
  list[#list + 1] = shard
  redis.call('HSET', thread .. 'sharded-before', message, table.concat(list, '\n'))
end

-- Marks a message with the shard that it is part of.
local function mark_source(thread, message, shard)
  local before = redis.call('HGET', thread .. 'sharded', message)
  if before and before ~= shard then note_before(thread, message, before) end
  redis.call('HSET', thread .. 'sharded', message, shard)
end

-- A shard is kept as `<superseded at or -> <the rest as JSON>`.
local function shard_sources(value)
  return cjson.decode(string.match(value, ' (.*)$')).sourceIds
end
