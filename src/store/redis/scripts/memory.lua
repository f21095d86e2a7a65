--- read
-- The changes in a scope.
-- KEYS: workspace. ARGV: retention, epoch, last change of messages and of shards (both empty: first read),
-- limit, thread, reach.
-- Returns {epoch, whether to start over (1 or 0), kept since, messages, shards}. Each of the last two is {last
-- change, whether there is more (1 or 0), list}; the lists are of {thread, {id, kind and turn, value}, ages
-- from, shard or nil, verdict of a question or nil} and {thread, id, value}.
local epoch = redis.call('HGET', KEYS[1] .. 'clock', 'epoch') or ''
local is_anew = ARGV[3] == '' or ARGV[2] ~= epoch
local limit, asked_in, reach = tonumber(ARGV[5]), ARGV[6], ARGV[7]

local function sets_of(what)
  local own_set, channel_set, workspace_set = memory_sets(asked_in, what)
  if reach == 'thread' then return { own_set } end
  return reach == 'channel' and { channel_set } or { channel_set, workspace_set }
end

-- The change before the oldest one still remembered.
local function oldest_change(sets, what)
  local start = 0
  for _, set in ipairs(sets) do
    if redis.call('ZCARD', set) >= most_members(what) then
      start = math.max(start, tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]) - 1)
    end
  end
  return start
end

local function changes(what, since, read)
  local sets = sets_of(what)
  local start = is_anew and oldest_change(sets, what) or tonumber(since)
  local found, change_of = {}, {}
  for _, set in ipairs(sets) do
    local members = redis.call('ZRANGEBYSCORE', set, '(' .. start, '+inf', 'WITHSCORES', 'LIMIT', 0, limit + 1)
    for at = 1, #members, 2 do
      -- A member of both sets comes once.
      if not change_of[members[at]] then found[#found + 1] = members[at] end
      change_of[members[at]] = tonumber(members[at + 1])
    end
  end
  table.sort(found, function(one, other) return change_of[one] < change_of[other] end)
  local list, last = {}, start
  for at = 1, math.min(limit, #found) do
    last = change_of[found[at]]
    local thread, id = split_member(found[at])
    local item = read(thread, id)
    if item then list[#list + 1] = item end
  end
  return { string.format('%d', last), #found > limit and 1 or 0, list }
end

local function message(thread, id)
  local kind, turn = owner_of(thread, id)
  local value = kind and read_message(thread, kind, turn, id)
  if not value then return false end
  local head, of_turn = message_head(value), { false, false }
  if kind == 't' then
    of_turn = redis.call('HMGET', group_of(thread, kind, turn), 'created', 's:["verdict",""]')
  end
  return { thread, { id, kind .. turn, value }, of_turn[1] or head.created,
    redis.call('HGET', thread .. 'sharded', id),
    head.role == 'h' and of_turn[2] and string.match(of_turn[2], '^%d+ (.*)$') }
end

local function shard(thread, id)
  local value = redis.call('HGET', thread .. 'shards', id)
  return value and { thread, id, value }
end

return { epoch, is_anew and 1 or 0, kept_since(KEYS[1], ARGV[1]), changes('messages', ARGV[3], message),
  changes('shards', ARGV[4], shard) }

--- keep-shard
-- Stores a shard, marks its sources and supersedes others. The workspace is listed already, by its sources.
-- KEYS: workspace. ARGV: thread, call, id, privacy, created, ages from, JSON, number of sources, the
-- sources, the shards to supersede.
-- Returns 1 if the shard is stored, 0 if a source is gone.
local workspace, thread, call, id, privacy = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local shards, last_source = thread .. 'shards', 8 + tonumber(ARGV[8])
local function is_live(shard) return string.sub(redis.call('HGET', shards, shard) or '', 1, 1) == '-' end
if is_live(id) then return 1 end
for at = 9, last_source do
  local kind, turn = owner_of(thread, ARGV[at])
  if not kind or message_head(read_message(thread, kind, turn, ARGV[at])).status ~= 'c' then return 0 end
end
local function supersede(old)
  if not is_live(old) then return end
  local was = decode(string.sub(redis.call('HGET', shards, old), 3))
  redis.call('HSET', shards, old, string.format('%s {"text":"","sourceIds":[],"isPrivate":%s,"createdAt":%.17g,"agesFrom":%.17g}',
    ARGV[5], tostring(was.isPrivate), was.createdAt, was.agesFrom))
  redis.call('HDEL', thread .. 'vectors', 's:' .. old)
  remember(thread, 'shards', old, privacy, call)
end
for at = last_source + 1, #ARGV do supersede(ARGV[at]) end
for at = 9, last_source do supersede(redis.call('HGET', thread .. 'sharded', ARGV[at]) or '') end
redis.call('HSET', shards, id, '- ' .. ARGV[7])
redis.call('ZADD', thread .. 'shard-ages', ARGV[6], id)
redis.call('ZADD', workspace .. 'threads', 'LT', ARGV[6], thread)
for at = 9, last_source do redis.call('HSET', thread .. 'sharded', ARGV[at], id) end
remember(thread, 'shards', id, privacy, call)
return 1

--- read-vectors
-- KEYS: workspace. ARGV: retention, model, then thread and `m:<message>` or `s:<shard>` for each. Returns
-- base64 or nil for each.
local since = tonumber(kept_since(KEYS[1], ARGV[1]))

local function ages_from(thread, name)
  local id = string.sub(name, 3)
  if string.sub(name, 1, 1) == 's' then return redis.call('ZSCORE', thread .. 'shard-ages', id) end
  local kind, turn = owner_of(thread, id)
  if kind == 't' then return redis.call('HGET', group_of(thread, kind, turn), 'created') end
  -- A message that the server has evicted, although it must not, has no time.
  return kind and message_head(read_message(thread, kind, turn, id)).created or false
end

local found = {}
for at = 3, #ARGV, 2 do
  local value = redis.call('HGET', ARGV[at] .. 'vectors', ARGV[at + 1]) or ''
  local model, vector = string.match(value, '^(.*) (%S+)$')
  local created = model == ARGV[2] and ages_from(ARGV[at], ARGV[at + 1])
  found[(at - 1) / 2] = created and tonumber(created) >= since and vector
end
return found

--- keep-vectors
-- Stores vectors of existing texts. KEYS: workspace. ARGV: thread, `m:<message>` or `s:<shard>`, and
-- `<model> <base64>` for each.
for at = 1, #ARGV, 3 do
  local thread, name = ARGV[at], ARGV[at + 1]
  local kind, id = string.sub(name, 1, 1), string.sub(name, 3)
  local value = redis.call('HGET', thread .. (kind == 'm' and 'ids' or 'shards'), id)
  if value and (kind == 'm' or string.sub(value, 1, 1) == '-') then
    redis.call('HSET', thread .. 'vectors', name, ARGV[at + 2])
  end
end
return 'written'
