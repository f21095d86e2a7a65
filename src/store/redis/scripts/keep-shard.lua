-- Keeps a shard, marks its sources and takes the place of others.
-- KEYS: workspace. ARGV: thread, call, id, privacy, created, ages from, JSON, how many sources, the
-- sources, the shards that it supersedes. Where its sources are, the workspace is listed already.
-- A shard is kept as `<superseded at or -> <the rest as JSON>`. Gives 1 when it is kept, 0 when a source is gone.
local workspace, thread, call, id, privacy = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local shards, last_source = thread .. 'shards', 8 + tonumber(ARGV[8])
if redis.call('HEXISTS', shards, id) == 1 then return 1 end
for at = 9, last_source do
  local kind, turn = owner_of(thread, ARGV[at])
  if not kind or message_head(read_message(thread, kind, turn, ARGV[at])).status ~= 'c' then return 0 end
end
for at = last_source + 1, #ARGV do
  local json = string.match(redis.call('HGET', shards, ARGV[at]) or '', '^%- (.*)$')
  if json then
    redis.call('HSET', shards, ARGV[at], ARGV[5] .. ' ' .. json)
    redis.call('HDEL', thread .. 'vectors', 's:' .. ARGV[at])
    remember(thread, 'shards', ARGV[at], privacy, call)
  end
end
redis.call('HSET', shards, id, '- ' .. ARGV[7])
redis.call('ZADD', thread .. 'shard-ages', ARGV[6], id)
redis.call('ZADD', workspace .. 'threads', 'LT', ARGV[6], thread)
for at = 9, last_source do redis.call('HSET', thread .. 'sharded', ARGV[at], id) end
remember(thread, 'shards', id, privacy, call)
return 1
