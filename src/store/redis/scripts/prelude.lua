-- What every script begins with. A thread is named by what all of its keys begin with, a turn group
-- by its key: `council:{<thread>}:turn:<turn>`. docs/redis.md shows every key.

-- A message is kept as `<role><status> <createdAt> <place> <the rest as JSON>`: role h or a, status
-- p or c, place its number in the thread, of a fixed width so that members sort by it.
local function message_head(value)
  local role, status, created, place = string.match(value, '^(%a)(%a) (%S+) (%d+) ')
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

-- Stores a message that the thread does not have, at its place in the thread's order.
local function add_message(thread, kind, turn, id, role_and_status, created, place, json)
  local member = place .. id
  write_message(thread, kind, turn, id, message_value(role_and_status, created, place, json))
  redis.call('HSET', thread .. 'ids', id, kind .. turn)
  redis.call('ZADD', thread .. 'messages', created, member)
  if string.sub(role_and_status, 1, 1) == 'h' then
    redis.call('ZADD', thread .. 'questions', created, member)
  end
  if kind ~= 't' then redis.call('ZADD', thread .. 'imported', created, member) end
end

local function remove_message(thread, kind, turn, id)
  local value = read_message(thread, kind, turn, id)
  if value then
    local member = message_head(value).place .. id
    redis.call('ZREM', thread .. 'messages', member)
    redis.call('ZREM', thread .. 'questions', member)
    redis.call('ZREM', thread .. 'imported', member)
  end
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
