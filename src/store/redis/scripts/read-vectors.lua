-- KEYS: the thread of each. ARGV: model, then `m:<message>` or `s:<shard>` for each. Gives base64 or nil for each.
local found = {}
for at, thread in ipairs(KEYS) do
  local value = redis.call('HGET', thread .. 'vectors', ARGV[at + 1]) or ''
  local model, vector = string.match(value, '^(.*) (%S+)$')
  found[at] = model == ARGV[1] and vector or false
end
return found
