-- Gives the whole group, or nil.
-- KEYS: workspace. ARGV: retention, `turn` or `event`, the id of either.
local turn = ARGV[3]
if ARGV[2] == 'event' then turn = redis.call('GET', KEYS[1] .. 'event:' .. turn) end
if not turn then return false end
local group = KEYS[1] .. 'turn:' .. turn
return is_kept(group, kept_since(KEYS[1], ARGV[1])) and { turn, redis.call('HGETALL', group) }
