-- KEYS: claims. ARGV: now, limit. Gives how many were deleted.
local expired = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'expiry', '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, claim in ipairs(expired) do
  redis.call('ZREM', KEYS[1] .. 'expiry', claim)
  redis.call('HDEL', KEYS[1] .. 'calls', claim)
end
return #expired
