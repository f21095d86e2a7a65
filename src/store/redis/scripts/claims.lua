--- claim
-- KEYS: claims. ARGV: now, call, claim, when it expires. Gives 1 for who has it now, else 0.
local expiry, calls = KEYS[1] .. 'expiry', KEYS[1] .. 'calls'
local expires = redis.call('ZSCORE', expiry, ARGV[3])
if expires and tonumber(expires) > tonumber(ARGV[1]) then
  -- The same call again, because its answer was lost on the way.
  return redis.call('HGET', calls, ARGV[3]) == ARGV[2] and 1 or 0
end
redis.call('ZADD', expiry, ARGV[4], ARGV[3])
redis.call('HSET', calls, ARGV[3], ARGV[2])
return 1

--- sweep
-- KEYS: claims. ARGV: now, limit. Gives how many were deleted.
local expired = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'expiry', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, claim in ipairs(expired) do
  redis.call('ZREM', KEYS[1] .. 'expiry', claim)
  redis.call('HDEL', KEYS[1] .. 'calls', claim)
end
return #expired
