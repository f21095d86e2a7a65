-- Takes a turn to run it. KEYS: workspace. ARGV: retention, call, turn. Gives the whole group, or nil.
local group, call = KEYS[1] .. 'turn:' .. ARGV[3], ARGV[2]
local header = redis.call('HMGET', group, 'status', 'taken_by')
if not header[1] or header[1] == 'ended' or not is_kept(group, kept_since(KEYS[1], ARGV[1])) then return false end
-- The same call again, because its answer was lost on the way, takes nothing twice.
if header[2] ~= call then
  redis.call('HINCRBY', group, 'attempt', 1)
  redis.call('HSET', group, 'status', 'running', 'taken_by', call)
end
return { ARGV[3], redis.call('HGETALL', group) }
