-- KEYS: scope. ARGV: now, how long what is written is kept in milliseconds (empty: for good), names
-- and values; an empty value removes the setting.
local kept = tonumber(ARGV[2])
local is_new = redis.call('EXISTS', KEYS[1]) == 0
local left = redis.call('PTTL', KEYS[1])
if kept then
  -- A scope that is written again and again is never gone as a whole.
  local known = redis.call('HGETALL', KEYS[1])
  for at = 1, #known, 2 do
    local expires = cjson.decode(known[at + 1]).expiresAt
    if expires and expires <= tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], known[at]) end
  end
end
for at = 3, #ARGV, 2 do
  if ARGV[at + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[at])
  else
    redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
-- The server lets go of a scope in which all has expired, and of none that holds what stays.
if not kept then
  redis.call('PERSIST', KEYS[1])
elseif is_new or left >= 0 then
  redis.call('PEXPIRE', KEYS[1], math.max(kept, left))
end
return 'written'
