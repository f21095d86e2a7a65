-- What has changed in a scope.
-- KEYS: workspace. ARGV: retention, epoch, last change of messages, of shards (these empty: it was not
-- read yet), limit, the sets of messages, as many sets of shards.
-- Gives {epoch, whether it is anew (1 or 0), kept since, messages, shards}, each of the last two {up to,
-- whether there is more (1 or 0), list}: of {thread, {id, kind and turn, value}, ages from, shard or
-- nil}, and of {thread, id, value}.
local epoch = redis.call('HGET', KEYS[1] .. 'clock', 'epoch') or ''
local is_anew = ARGV[3] == '' or ARGV[2] ~= epoch
local limit, set_count = tonumber(ARGV[5]), (#ARGV - 5) / 2

-- What comes first of what is still remembered.
local function oldest_change(sets)
  local start = 0
  for _, set in ipairs(sets) do
    if redis.call('ZCARD', set) >= most_remembered then
      start = math.max(start, tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]) - 1)
    end
  end
  return start
end

local function changes(sets, since, read)
  local start = is_anew and oldest_change(sets) or tonumber(since)
  local found, change_of = {}, {}
  for _, set in ipairs(sets) do
    local members = redis.call('ZRANGEBYSCORE', set, '(' .. start, '+inf', 'WITHSCORES', 'LIMIT', 0, limit + 1)
    for at = 1, #members, 2 do
      -- What two sets have comes once.
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
  local ages_from = kind == 't' and redis.call('HGET', group_of(thread, kind, turn), 'created')
  return { thread, { id, kind .. turn, value }, ages_from or message_head(value).created,
    redis.call('HGET', thread .. 'sharded', id) }
end

local function shard(thread, id)
  local value = redis.call('HGET', thread .. 'shards', id)
  return value and { thread, id, value }
end

local message_sets, shard_sets = {}, {}
for at = 1, set_count do
  message_sets[at], shard_sets[at] = ARGV[5 + at], ARGV[5 + set_count + at]
end
return { epoch, is_anew and 1 or 0, kept_since(KEYS[1], ARGV[1]), changes(message_sets, ARGV[3], message),
  changes(shard_sets, ARGV[4], shard) }
