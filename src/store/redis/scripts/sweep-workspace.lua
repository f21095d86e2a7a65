-- Deletes what has expired in a workspace, a portion of it.
-- KEYS: workspace. ARGV: retention, the first day of spending that is kept, limit, the most threads
-- that are looked at. Gives {how many records, whether more has expired (1 or 0), whether nothing is
-- left (1 or 0)}.
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
    -- Also where the server has thrown the turn away, although it should not.
    redis.call('ZREM', thread .. 'turns', member)
    swept = swept + 1
  end
  for _, member in ipairs(expired(thread .. 'imported')) do
    local id = string.sub(member, 16)
    local kind, turn = owner_of(thread, id)
    -- Also where the server has thrown away who has the id.
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

for _, thread in ipairs(redis.call('ZRANGEBYSCORE', threads, '-inf', '(' .. since, 'LIMIT', 0, ARGV[4])) do
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
local is_more = redis.call('ZCOUNT', threads, '-inf', '(' .. since) + redis.call('ZCOUNT', spending, '-inf', '(' .. first_day) > 0
return { swept, is_more and 1 or 0, redis.call('EXISTS', threads, spending, forgotten_events(workspace)) == 0 and 1 or 0 }
