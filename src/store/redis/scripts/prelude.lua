-- The beginning of every script. Workspaces and threads are passed as key prefixes,
-- `council:{<workspace>}:` and `council:{<workspace>}:{<thread>}:`, a turn group as its key,
-- `council:{<workspace>}:turn:<turn>`. docs/database.md lists every key.
-- KEYS[1] is the prefix of all keys that a script uses; they share one slot.

-- Parses JSON. Text that was cut inside a surrogate pair contains a lone surrogate, whose escape cjson
-- rejects; it becomes U+FFFD.
local function decode(json)
  return cjson.decode((string.gsub(json, '\\u[dD][89a-fA-F]%x%x', '\\ufffd')))
end

-- A message is stored as `<role><status><privacy> <createdAt> <place> <the rest as JSON>`: role h or a,
-- status p or c, privacy o (open to the workspace), x (private) or nothing (unknown), place its number in the
-- thread, of a fixed width so members sort by it. A value that the server evicted, although it must not, has
-- no parts.
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

-- The workspace of any key.
local function workspace_of(key)
  return string.match(key, '^council:{[^}]*}:')
end

-- The thread of a turn; false if the group is gone.
local function thread_of(group)
  return redis.call('HGET', group, 'thread')
end

local function turn_of(group)
  return string.sub(group, #workspace_of(group) + #'turn:' + 1)
end

-- Splits a member of the memory sets into its thread and id.
local function split_member(member)
  return string.match(member, '^(council:{[^}]*}:{[^}]*}:)(.*)$')
end

-- The key of a turn's messages: the turn's, or for an imported turn one of the thread's.
local function group_of(thread, kind, turn)
  return (kind == 't' and workspace_of(thread) or thread) .. 'turn:' .. turn
end

-- The kind and turn of the message with an id: `t<turn>` of a turn made here, `x<turn>` imported with a turn,
-- `i` imported without one; false if there is none.
local function owner_of(thread, id)
  local owner = redis.call('HGET', thread .. 'ids', id)
  if not owner then return false, false end
  return string.sub(owner, 1, 1), string.sub(owner, 2)
end

local function read_message(thread, kind, turn, id)
  if kind == 'i' then return redis.call('GET', thread .. 'message:' .. id) end
  return redis.call('HGET', group_of(thread, kind, turn), 'm:' .. id)
end

local function write_message(thread, kind, turn, id, value)
  if kind == 'i' then
    redis.call('SET', thread .. 'message:' .. id, value)
  else
    redis.call('HSET', group_of(thread, kind, turn), 'm:' .. id, value)
  end
end

-- The workspace and the channel of a thread; a thread id of fewer parts is its own.
local function places_of(thread)
  local workspace, rest = string.match(thread, '^council:{([^}]*)}:{([^}]*)}:$')
  local channel = string.match(rest, '^([^:]*):')
  return workspace, channel and workspace .. ':' .. channel or workspace
end

-- The threads of a workspace that have messages, with equal scores, i.e. sorted by name.
local function threads_of_workspace(thread)
  return workspace_of(thread) .. 'thread-names'
end

-- Events of a workspace's forgotten turns, scored by when they expire.
local function forgotten_events(workspace)
  return workspace .. 'forgotten'
end

local function memory_clock(thread)
  return workspace_of(thread) .. 'clock'
end

-- The memory sets of the thread, its channel and its workspace, ordered by completion. `what` is `messages`
-- or `shards`.
local function memory_sets(thread, what)
  local workspace, _, channel = workspace_of(thread), places_of(thread)
  return thread .. 'remembered-' .. what, workspace .. 'channel-' .. what .. ':' .. channel,
    workspace .. 'workspace-' .. what
end

-- How many members a memory set has at most. Superseded shards stay for readers that know them, and must not
-- take the places of others.
local function most_members(what)
  return what == 'shards' and 2 * most_remembered or most_remembered
end

-- Puts a member into all sets that may include it, ordered by its change.
local function put_in_memory(thread, what, id, change, is_open)
  local member = thread .. id
  local own_set, channel_set, workspace_set = memory_sets(thread, what)
  for _, set in ipairs({ own_set, channel_set, is_open and workspace_set or nil }) do
    redis.call('ZADD', set, change, member)
    redis.call('ZREMRANGEBYRANK', set, 0, -(most_members(what) + 1))
  end
  if not is_open then redis.call('ZREM', workspace_set, member) end
end

-- Adds a completed or changed member to all sets that may include it.
local function remember(thread, what, id, privacy, call)
  local _, channel = places_of(thread)
  local clock = memory_clock(thread)
  local is_open = privacy == 'o' and redis.call('HEXISTS', clock, 'private:' .. channel) == 0
  -- Everything read in another epoch is void.
  redis.call('HSETNX', clock, 'epoch', call)
  put_in_memory(thread, what, id, redis.call('HINCRBY', clock, 'change', 1), is_open)
end

-- Removes a member from all sets.
local function unremember(thread, what, id)
  for _, set in ipairs({ memory_sets(thread, what) }) do redis.call('ZREM', set, thread .. id) end
end

-- Voids everything read of a thread's workspace, because something was deleted.
local function void_memory(thread, call)
  local clock = memory_clock(thread)
  if redis.call('EXISTS', clock) == 1 then redis.call('HSET', clock, 'epoch', call) end
end

-- Marks a channel as private, with the time of its newest private question. Returns whether it was before.
local function close_channel(thread, role_and_status, created)
  local clock, _, channel = memory_clock(thread), places_of(thread)
  local asked = string.match(role_and_status, '^h.x') and created or '0'
  local known = redis.call('HGET', clock, 'private:' .. channel)
  if tonumber(asked) >= tonumber(known or '0') then redis.call('HSET', clock, 'private:' .. channel, asked) end
  return known
end

-- Records whether a channel is private now: by the newest question, because older ones may be imported later. Its
-- earlier messages then become private too.
local function note_privacy(thread, role_and_status, created, call)
  local clock, _, channel = memory_clock(thread), places_of(thread)
  local privacy = string.sub(role_and_status, 3, 3)
  local closed = privacy == 'o' and redis.call('HGET', clock, 'private:' .. channel)
  if closed and tonumber(created) >= tonumber(closed) then redis.call('HDEL', clock, 'private:' .. channel) end
  if privacy ~= 'x' or close_channel(thread, role_and_status, created) then return end
  local hidden = 0
  for _, what in ipairs({ 'messages', 'shards' }) do
    local _, _, workspace_set = memory_sets(thread, what)
    -- The channel's set may have fewer members: newer ones have pushed older ones out.
    for _, member in ipairs(redis.call('ZRANGE', workspace_set, 0, -1)) do
      local _, said_in = places_of((split_member(member)))
      if said_in == channel then hidden = hidden + redis.call('ZREM', workspace_set, member) end
    end
  end
  if hidden > 0 then void_memory(thread, call) end
end

-- Remembers a stored message if it is complete, and deletes the vector of its old text.
local function remember_message(thread, id, role_and_status, call)
  if string.sub(role_and_status, 2, 2) ~= 'c' then return end
  redis.call('HDEL', thread .. 'vectors', 'm:' .. id)
  remember(thread, 'messages', id, string.sub(role_and_status, 3, 3), call)
end

-- Stores a message at its place in the thread's order.
local function place_message(thread, kind, turn, id, role_and_status, created, place, json)
  local member = place .. id
  write_message(thread, kind, turn, id, message_value(role_and_status, created, place, json))
  redis.call('HSET', thread .. 'ids', id, kind .. turn)
  redis.call('ZADD', thread .. 'messages', created, member)
  redis.call('ZADD', threads_of_workspace(thread), 0, thread)
  if string.sub(role_and_status, 1, 1) == 'h' then
    redis.call('ZADD', thread .. 'questions', created, member)
  end
  if kind ~= 't' then
    redis.call('ZADD', thread .. 'imported', created, member)
    redis.call('ZADD', workspace_of(thread) .. 'threads', 'LT', created, thread)
  end
end

-- Stores and remembers a new message.
local function add_message(thread, kind, turn, id, role_and_status, created, place, json, call)
  place_message(thread, kind, turn, id, role_and_status, created, place, json)
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
  redis.call('HDEL', thread .. 'ids', id)
  if kind == 'i' then
    redis.call('DEL', thread .. 'message:' .. id)
  else
    redis.call('HDEL', group_of(thread, kind, turn), 'm:' .. id)
  end
end

-- Records of a workspace created before the returned time have expired. `retention` is `<kept since> <now>` by
-- the operator's retention; the workspace's own, in days, may be shorter. src/store/checks.ts defines the
-- setting and its scope.
local function kept_since(workspace, retention)
  local since, now = string.match(retention, '^(%S+) (%S+)$')
  local name = string.gsub(string.match(workspace, '{([^}]*)}'), '%%(%x%x)', function(hex)
    return string.char(tonumber(hex, 16))
  end)
  local json = redis.call('HGET', workspace .. 'settings:workspace:' .. name, 'retentionDays')
  local stored = json and decode(json) or {}
  local days = stored.value
  if type(days) ~= 'number' or days <= 0 then return since end
  if stored.expiresAt and stored.expiresAt <= tonumber(now) then return since end
  local own = tonumber(now) - days * 86400000
  return own > tonumber(since) and string.format('%.17g', own) or since
end

-- Whether a turn group exists and hasn't expired.
local function is_kept(group, since)
  local created = redis.call('HGET', group, 'created')
  return created and tonumber(created) >= tonumber(since)
end

-- Stores a step, replacing one with the same field. Fields are never removed from a group, so their count
-- orders the steps.
local function put_step(group, field, json)
  local before = redis.call('HGET', group, field)
  local order = before and string.match(before, '^%d+') or redis.call('HLEN', group)
  redis.call('HSET', group, field, order .. ' ' .. json)
end

-- Deletes a turn group and everything that refers to it.
local function remove_turn(group)
  local workspace, thread, turn = workspace_of(group), thread_of(group), turn_of(group)
  for _, name in ipairs(redis.call('HKEYS', group)) do
    if string.sub(name, 1, 2) == 'm:' then
      remove_message(thread, 't', turn, string.sub(name, 3))
    end
  end
  local facts = redis.call('HMGET', group, 'place', 'event')
  if facts[1] then redis.call('ZREM', thread .. 'turns', facts[1] .. turn) end
  if facts[2] and redis.call('GET', workspace .. 'event:' .. facts[2]) == turn then
    redis.call('DEL', workspace .. 'event:' .. facts[2])
  end
  redis.call('ZREM', workspace .. 'unfinished', turn)
  redis.call('DEL', group)
end

-- A shard is stored as `<superseded at or -> <the rest as JSON>`; superseded ones have no text or sources.
local function remove_shard(thread, id)
  unremember(thread, 'shards', id)
  redis.call('HDEL', thread .. 'vectors', 's:' .. id)
  redis.call('ZREM', thread .. 'shard-ages', id)
  redis.call('HDEL', thread .. 'shards', id)
end

-- After a deletion, schedules the thread's next sweep for when its oldest record expires, or removes an empty
-- thread, and with the last one the workspace's clock.
local function settle(thread)
  local workspace, oldest = workspace_of(thread), nil
  for _, set in ipairs({ 'turns', 'imported', 'shard-ages' }) do
    local score = redis.call('ZRANGE', thread .. set, 0, 0, 'WITHSCORES')[2]
    if score then oldest = math.min(oldest or tonumber(score), tonumber(score)) end
  end
  if oldest then
    redis.call('ZADD', workspace .. 'threads', string.format('%.17g', oldest), thread)
  else
    redis.call('ZREM', workspace .. 'threads', thread)
    redis.call('ZREM', threads_of_workspace(thread), thread)
    redis.call('DEL', thread .. 'places')
    if redis.call('EXISTS', workspace .. 'threads') == 0 then redis.call('DEL', memory_clock(thread)) end
  end
end

-- A turn's header for lists; nil if the server has evicted the turn.
local function turn_header(group)
  local header = redis.call('HMGET', group, 'thread', 'status', 'attempt', 'created', 'outcome', 'ended',
    'asked_by')
  return header[1] and { turn_of(group), unpack(header, 1, 7) }
end
