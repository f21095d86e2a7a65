-- Deletes what has expired in a thread. KEYS: thread, threads. ARGV: kept since, limit. Gives how many records.
local thread, limit = KEYS[1], tonumber(ARGV[2])
local swept = 0
for _, member in ipairs(redis.call('ZRANGEBYSCORE', thread .. 'turns', '-inf', '(' .. ARGV[1], 'LIMIT', 0, limit)) do
  remove_turn(thread .. 'turn:' .. string.sub(member, 16))
  swept = swept + 1
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', thread .. 'imported', '-inf', '(' .. ARGV[1], 'LIMIT', 0, limit - swept)) do
  local id = string.sub(member, 16)
  local kind, turn = owner_of(thread, id)
  remove_message(thread, kind, turn, id)
  swept = swept + 1
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', thread .. 'shard-ages', '-inf', '(' .. ARGV[1], 'LIMIT', 0, limit - swept)) do
  remove_shard(thread, id)
  swept = swept + 1
end
-- The thread comes up again when the oldest that is left expires.
local oldest
for _, set in ipairs({ 'turns', 'imported', 'shard-ages' }) do
  local score = redis.call('ZRANGE', thread .. set, 0, 0, 'WITHSCORES')[2]
  if score then oldest = math.min(oldest or tonumber(score), tonumber(score)) end
end
if oldest then
  redis.call('ZADD', KEYS[2], string.format('%.17g', oldest), thread)
else
  redis.call('ZREM', KEYS[2], thread)
  redis.call('DEL', thread .. 'places')
end
return swept
