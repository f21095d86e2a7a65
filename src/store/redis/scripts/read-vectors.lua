-- KEYS: workspace. ARGV: retention, model, then thread and `m:<message>` or `s:<shard>` for each. Gives
-- base64 or nil for each.
local since = tonumber(kept_since(KEYS[1], ARGV[1]))

local function ages_from(thread, name)
  local id = string.sub(name, 3)
  if string.sub(name, 1, 1) == 's' then return redis.call('ZSCORE', thread .. 'shard-ages', id) end
  local kind, turn = owner_of(thread, id)
  if kind == 't' then return redis.call('HGET', group_of(thread, kind, turn), 'created') end
  -- What the server has thrown away, although it should not, ages from no time.
  return kind and message_head(read_message(thread, kind, turn, id)).created or false
end

local found = {}
for at = 3, #ARGV, 2 do
  local value = redis.call('HGET', ARGV[at] .. 'vectors', ARGV[at + 1]) or ''
  local model, vector = string.match(value, '^(.*) (%S+)$')
  local created = model == ARGV[2] and ages_from(ARGV[at], ARGV[at + 1])
  found[(at - 1) / 2] = created and tonumber(created) >= since and vector
end
return found
