-- KEYS: workspace. ARGV: offset, limit. Gives {scope, days and sums in turn} for each scope.
local found = {}
for at, scope in ipairs(redis.call('ZRANGE', KEYS[1] .. 'spending', ARGV[1], ARGV[1] + ARGV[2] - 1)) do
  found[at] = { scope, redis.call('HGETALL', KEYS[1] .. 'spending:' .. scope) }
end
return found
