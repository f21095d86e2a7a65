-- KEYS: workspace. ARGV: model, then thread and `m:<message>` or `s:<shard>` for each. Gives base64 or
-- nil for each.
local found = {}
for at = 2, #ARGV, 2 do
  local value = redis.call('HGET', ARGV[at] .. 'vectors', ARGV[at + 1]) or ''
  local model, vector = string.match(value, '^(.*) (%S+)$')
  found[at / 2] = model == ARGV[1] and vector or false
end
return found
