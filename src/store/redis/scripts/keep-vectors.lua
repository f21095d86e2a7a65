-- Keeps vectors of what is there. KEYS: workspace. ARGV: thread, `m:<message>` or `s:<shard>`, and
-- `<model> <base64>` for each.
for at = 1, #ARGV, 3 do
  local thread, name = ARGV[at], ARGV[at + 1]
  local kind, id = string.sub(name, 1, 1), string.sub(name, 3)
  local value = redis.call('HGET', thread .. (kind == 'm' and 'ids' or 'shards'), id)
  if value and (kind == 'm' or string.sub(value, 1, 1) == '-') then
    redis.call('HSET', thread .. 'vectors', name, ARGV[at + 2])
  end
end
return 'written'
