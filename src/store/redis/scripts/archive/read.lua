--- threads
-- Reads what belongs to a workspace's threads, from a place on, up to a limit; less of what is long, so
-- that the answer is as large as a request may be.
-- KEYS: workspace. ARGV: which thread, part, offset in it, rank, limit.
-- Gives {items, the next place}; its part is `end` when there is no more.
local threads = KEYS[1] .. 'threads'
local index, part, offset, rank, limit = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local function standing_of(thread, what, id)
  local own_set, _, workspace_set = memory_sets(thread, what)
  local change = redis.call('ZSCORE', own_set, thread .. id)
  if not change then return false end
  local _, channel = places_of(thread)
  return { change, redis.call('ZSCORE', workspace_set, thread .. id) and 1 or 0,
    redis.call('HEXISTS', memory_clock(thread), 'private:' .. channel) }
end

local readers = {
  turns = function(thread, member, count)
    local turn = string.sub(member, 16)
    local group = KEYS[1] .. 'turn:' .. turn
    local all, fields = redis.call('HGETALL', group), {}
    for at = 1, #all, 2 do
      if string.sub(all[at], 1, 2) ~= 'm:' then
        fields[#fields + 1], fields[#fields + 2] = all[at], all[at + 1]
        count(all[at + 1])
      end
    end
    return redis.call('HEXISTS', group, 'status') == 1 and { 'turn', turn, rank, fields }
  end,
  messages = function(thread, member, count)
    local id = string.sub(member, 16)
    local kind, turn = owner_of(thread, id)
    local value = kind and read_message(thread, kind, turn, id)
    count(value)
    return value and { 'message', thread, rank, { id, kind .. turn, value }, redis.call('HGET', thread .. 'sharded', id),
      standing_of(thread, 'messages', id), redis.call('HGET', thread .. 'vectors', 'm:' .. id) }
  end,
  ['shard-ages'] = function(thread, id, count)
    local value = redis.call('HGET', thread .. 'shards', id)
    count(value)
    return value and { 'shard', { thread, id, value }, standing_of(thread, 'shards', id),
      redis.call('HGET', thread .. 'vectors', 's:' .. id) }
  end,
}
local following = { turns = 'messages', messages = 'shard-ages' }

local found, size, most_size = {}, 0, 500000
local function count(text) size = size + #(text or '') end
while #found < limit and size < most_size do
  local thread = redis.call('ZRANGE', threads, index, index)[1]
  if not thread then
    part = 'end'
    break
  end
  local members = redis.call('ZRANGE', thread .. part, offset, offset + limit - #found - 1)
  for _, member in ipairs(members) do
    if size >= most_size then break end
    offset = offset + 1
    local item = readers[part](thread, member, count)
    if item then
      found[#found + 1] = item
      rank = rank + 1
    end
  end
  if #members == 0 then
    offset, rank = 0, 0
    part = following[part]
    if not part then index, part = index + 1, 'turns' end
  end
end
return { found, { index, part, offset, rank } }

--- spending
-- KEYS: workspace. ARGV: offset, limit. Gives {scope, days and sums in turn} for each scope.
local found = {}
for at, scope in ipairs(redis.call('ZRANGE', KEYS[1] .. 'spending', ARGV[1], ARGV[1] + ARGV[2] - 1)) do
  found[at] = { scope, redis.call('HGETALL', KEYS[1] .. 'spending:' .. scope) }
end
return found

--- forgotten
-- KEYS: workspace. ARGV: now. Gives events whose turns were forgotten, and when each expires, in turn.
return redis.call('ZRANGEBYSCORE', forgotten_events(KEYS[1]), '(' .. ARGV[1], '+inf', 'WITHSCORES')

--- claims
-- KEYS: claims. ARGV: now, offset, limit. Gives {how many were looked at, {claim, when it expires} for each
-- of them that has not expired}.
local found = {}
local claims = redis.call('ZRANGE', KEYS[1] .. 'expiry', ARGV[2], ARGV[2] + ARGV[3] - 1, 'WITHSCORES')
for at = 1, #claims, 2 do
  if tonumber(claims[at + 1]) > tonumber(ARGV[1]) then found[#found + 1] = { claims[at], claims[at + 1] } end
end
return { #claims / 2, found }
