-- KEYS: claims by when they expire, claims by whose they are. ARGV: now, limit. Gives how many were deleted.
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, claim in ipairs(expired) do
  redis.call('ZREM', KEYS[1], claim)
  redis.call('HDEL', KEYS[2], claim)
end
return #expired
