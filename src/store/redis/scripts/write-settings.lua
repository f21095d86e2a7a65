-- KEYS: workspace. ARGV: scope, now, how long what is written is kept in milliseconds (empty: for
-- good), names and values; an empty value removes the setting.
local scope, kept = KEYS[1] .. 'settings:' .. ARGV[1], tonumber(ARGV[3])
local is_new = redis.call('EXISTS', scope) == 0
local left = redis.call('PTTL', scope)
if kept then
  -- A scope that is written again and again is never gone as a whole.
  local known = redis.call('HGETALL', scope)
  for at = 1, #known, 2 do
    local expires = cjson.decode(known[at + 1]).expiresAt
    if expires and expires <= tonumber(ARGV[2]) then redis.call('HDEL', scope, known[at]) end
  end
end
for at = 4, #ARGV, 2 do
  if ARGV[at + 1] == '' then
    redis.call('HDEL', scope, ARGV[at])
  else
    redis.call('HSET', scope, ARGV[at], ARGV[at + 1])
  end
end
-- The server lets go of a scope in which all has expired, and of none that holds what stays.
if not kept then
  redis.call('PERSIST', scope)
elseif is_new or left >= 0 then
  redis.call('PEXPIRE', scope, math.max(kept, left))
end
return 'written'
