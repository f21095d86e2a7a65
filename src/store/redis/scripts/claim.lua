-- KEYS: claims by when they expire, claims by whose they are. ARGV: now, call, claim, when it expires.
local expires = redis.call('ZSCORE', KEYS[1], ARGV[3])
if expires and tonumber(expires) > tonumber(ARGV[1]) then
  -- The same call again, because its answer was lost on the way.
  return redis.call('HGET', KEYS[2], ARGV[3]) == ARGV[2] and 1 or 0
end
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[3])
redis.call('HSET', KEYS[2], ARGV[3], ARGV[2])
return 1
