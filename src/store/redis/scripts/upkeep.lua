--- enlist
-- Lists a workspace. KEYS: workspaces. ARGV: workspace, now.
redis.call('ZADD', KEYS[1] .. 'list', 0, ARGV[1])
redis.call('HSET', KEYS[1] .. 'listed', ARGV[1], ARGV[2])
return 'listed'

--- delist
-- Removes workspaces that were listed last before a time. KEYS: workspaces. ARGV: time, workspaces.
local listed = KEYS[1] .. 'listed'
for at = 2, #ARGV do
  if tonumber(redis.call('HGET', listed, ARGV[at]) or 0) < tonumber(ARGV[1]) then
    redis.call('ZREM', KEYS[1] .. 'list', ARGV[at])
    redis.call('HDEL', listed, ARGV[at])
  end
end
return 'removed'

--- list
-- KEYS: workspaces. ARGV: the name to start with or after, limit. Returns the workspaces.
return redis.call('ZRANGEBYLEX', KEYS[1] .. 'list', ARGV[1], '+', 'LIMIT', 0, ARGV[2])

--- read-settings
-- KEYS: workspace. ARGV: the scopes. Returns a list of alternating names and values for each.
local found = {}
for index, scope in ipairs(ARGV) do found[index] = redis.call('HGETALL', KEYS[1] .. 'settings:' .. scope) end
return found

--- write-settings
-- KEYS: workspace. ARGV: scope, now, when the settings expire (empty: never), the beginning of names and the most
-- such settings (empty: any number), names and values; an empty value removes the setting. Returns 'written', or
-- 'too many' if nothing was set.
local scope, expiring = KEYS[1] .. 'settings:' .. ARGV[1], KEYS[1] .. 'expiring:' .. ARGV[1]
local now, expires, prefix, most = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
-- An older version has written here, too: all settings of a scope with a time to live expire, but not all are listed.
if redis.call('PTTL', scope) > 0 and redis.call('HLEN', scope) ~= redis.call('ZCARD', expiring) then
  local known = redis.call('HGETALL', scope)
  for at = 1, #known, 2 do redis.call('ZADD', expiring, decode(known[at + 1]).expiresAt, known[at]) end
end
-- A scope that is written often never expires as a whole, so delete its expired settings.
for _, name in ipairs(redis.call('ZRANGEBYSCORE', expiring, '-inf', now)) do
  redis.call('HDEL', scope, name)
  redis.call('ZREM', expiring, name)
end
if most then
  local names, named = {}, 0
  for _, name in ipairs(redis.call('HKEYS', scope)) do names[name] = true end
  for at = 6, #ARGV, 2 do names[ARGV[at]] = ARGV[at + 1] ~= '' or nil end
  for name in pairs(names) do
    if string.sub(name, 1, #prefix) == prefix then named = named + 1 end
  end
  if named > most then return 'too many' end
end
for at = 6, #ARGV, 2 do
  local name, value = ARGV[at], ARGV[at + 1]
  if value == '' then redis.call('HDEL', scope, name) else redis.call('HSET', scope, name, value) end
  if value == '' or expires == '' then
    redis.call('ZREM', expiring, name)
  else
    redis.call('ZADD', expiring, expires, name)
  end
end
-- The server deletes a scope once all its settings have expired. Use a duration, because its clock may differ.
local latest = redis.call('ZRANGE', expiring, -1, -1, 'WITHSCORES')[2]
local all_expire = redis.call('HLEN', scope) == redis.call('ZCARD', expiring)
for _, key in ipairs({ scope, expiring }) do
  if latest and all_expire then
    redis.call('PEXPIRE', key, string.format('%d', math.max(1, tonumber(latest) - tonumber(now))))
  else
    redis.call('PERSIST', key)
  end
end
return 'written'

--- spend
-- KEYS: workspace. ARGV: call, how long to remember the call in milliseconds, day, cost, the scopes.
-- A repeat of the same call after a lost reply isn't counted again.
if redis.call('SET', KEYS[1] .. 'spent:' .. ARGV[1], '1', 'NX', 'PX', ARGV[2]) then
  for at = 5, #ARGV do
    redis.call('HINCRBYFLOAT', KEYS[1] .. 'spending:' .. ARGV[at], ARGV[3], ARGV[4])
    redis.call('ZADD', KEYS[1] .. 'spending', 'LT', ARGV[3], ARGV[at])
  end
end
return 'written'

--- spent
-- KEYS: workspace. ARGV: the first day to include, the scopes. Returns a sum for each, as text.
local sums = {}
for index = 2, #ARGV do
  local days, sum = redis.call('HGETALL', KEYS[1] .. 'spending:' .. ARGV[index]), 0
  for at = 1, #days, 2 do
    if tonumber(days[at]) >= tonumber(ARGV[1]) then sum = sum + tonumber(days[at + 1]) end
  end
  sums[index - 1] = string.format('%.17g', sum)
end
return sums

--- claim
-- KEYS: claims. ARGV: now, call, claim, when it expires. Returns 1 if the caller has the claim now, else 0.
local expiry, calls = KEYS[1] .. 'expiry', KEYS[1] .. 'calls'
local expires = redis.call('ZSCORE', expiry, ARGV[3])
if expires and tonumber(expires) > tonumber(ARGV[1]) then
  -- A repeat of the same call after a lost reply.
  return redis.call('HGET', calls, ARGV[3]) == ARGV[2] and 1 or 0
end
-- A full server refuses scripts whose first write takes memory, but the sweep needs a claim to make room.
redis.call('ZREM', expiry, ARGV[3])
redis.call('ZADD', expiry, ARGV[4], ARGV[3])
redis.call('HSET', calls, ARGV[3], ARGV[2])
return 1

--- sweep-claims
-- KEYS: claims. ARGV: now, limit. Returns how many were deleted.
local expired = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'expiry', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, claim in ipairs(expired) do
  redis.call('ZREM', KEYS[1] .. 'expiry', claim)
  redis.call('HDEL', KEYS[1] .. 'calls', claim)
end
return #expired
