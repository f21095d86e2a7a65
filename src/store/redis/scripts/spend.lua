-- KEYS: claims by when they expire, claims by whose they are, spending, then one for each scope.
-- ARGV: call, until when the call is remembered, day, cost, and the scopes by name.
local call = 'spent ' .. ARGV[1]
-- The same call again, because its answer was lost on the way.
if redis.call('HEXISTS', KEYS[2], call) == 1 then return 'written' end
redis.call('ZADD', KEYS[1], ARGV[2], call)
redis.call('HSET', KEYS[2], call, ARGV[1])
for index = 4, #KEYS do
  redis.call('HINCRBYFLOAT', KEYS[index], ARGV[3], ARGV[4])
  redis.call('ZADD', KEYS[3], 'LT', ARGV[3], ARGV[index + 1])
end
return 'written'
