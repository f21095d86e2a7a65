--- read
-- KEYS: workspace. ARGV: the scopes. Gives the names and values of each.
local found = {}
for index, scope in ipairs(ARGV) do found[index] = redis.call('HGETALL', KEYS[1] .. 'settings:' .. scope) end
return found

--- write
-- KEYS: workspace. ARGV: scope, now, names and values; an empty value removes the setting.
local scope, now = KEYS[1] .. 'settings:' .. ARGV[1], tonumber(ARGV[2])
local changed, expired, stays, latest = {}, {}, false, now
local function count(value)
  -- One that is damaged stays until it is written anew.
  local is_read, stored = pcall(decode, value)
  local expires = is_read and type(stored) == 'table' and stored.expiresAt
  if expires then latest = math.max(latest, expires) else stays = true end
  return expires
end
for at = 3, #ARGV, 2 do
  changed[ARGV[at]] = true
  if ARGV[at + 1] ~= '' then count(ARGV[at + 1]) end
end
local known = redis.call('HGETALL', scope)
for at = 1, #known, 2 do
  if not changed[known[at]] and (count(known[at + 1]) or now + 1) <= now then expired[#expired + 1] = known[at] end
end
for at = 3, #ARGV, 2 do
  if ARGV[at + 1] == '' then
    redis.call('HDEL', scope, ARGV[at])
  else
    redis.call('HSET', scope, ARGV[at], ARGV[at + 1])
  end
end
-- A scope that is written again and again is never gone as a whole.
for _, name in ipairs(expired) do redis.call('HDEL', scope, name) end
-- The server lets go of a scope in which all has expired, and of none that holds what stays. It keeps
-- the time by a clock of its own, so it is told how long.
if stays then
  redis.call('PERSIST', scope)
else
  redis.call('PEXPIRE', scope, string.format('%d', math.max(1, latest - now)))
end
return 'written'
