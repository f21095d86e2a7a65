-- Keeps a shard, marks its sources and takes the place of others.
-- KEYS: thread, threads. ARGV: call, id, privacy, created, ages from, JSON, how many sources, the
-- sources, the shards that it supersedes.
-- Gives 1 when it is kept, 0 when a source is gone.
local thread, call, id, privacy = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local shards, last_source = thread .. 'shards', 7 + tonumber(ARGV[7])
if redis.call('HEXISTS', shards, id) == 1 then return 1 end
for at = 8, last_source do
  local kind, turn = owner_of(thread, ARGV[at])
  if not kind or message_head(read_message(thread, kind, turn, ARGV[at])).status ~= 'c' then return 0 end
end
for at = last_source + 1, #ARGV do
  local json = string.match(redis.call('HGET', shards, ARGV[at]) or '', '^%- (.*)$')
  if json then
    redis.call('HSET', shards, ARGV[at], ARGV[4] .. ' ' .. json)
    redis.call('HDEL', thread .. 'vectors', 's:' .. ARGV[at])
    remember(thread, 'shards', ARGV[at], privacy, call)
  end
end
redis.call('HSET', shards, id, '- ' .. ARGV[6])
redis.call('ZADD', thread .. 'shard-ages', ARGV[5], id)
redis.call('ZADD', KEYS[2], 'LT', ARGV[5], thread)
for at = 8, last_source do mark_source(thread, ARGV[at], id) end
remember(thread, 'shards', id, privacy, call)
return 1
