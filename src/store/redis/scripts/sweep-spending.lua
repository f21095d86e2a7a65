-- KEYS: spending. ARGV: the first day that is kept, limit. Gives how many sums were deleted.
local swept, limit, first_kept = 0, tonumber(ARGV[2]), tonumber(ARGV[1])
for _, scope in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'LIMIT', 0, limit)) do
  local key, oldest = KEYS[1] .. ':' .. scope, false
  for _, day in ipairs(redis.call('HKEYS', key)) do
    if tonumber(day) < first_kept and swept < limit then
      redis.call('HDEL', key, day)
      swept = swept + 1
    else
      oldest = math.min(oldest or tonumber(day), tonumber(day))
    end
  end
  if oldest then redis.call('ZADD', KEYS[1], oldest, scope) else redis.call('ZREM', KEYS[1], scope) end
end
return swept
