-- Takes a turn to run it. KEYS: group. ARGV: kept since, call. Gives the whole group, or nil.
local group = KEYS[1]
local header = redis.call('HMGET', group, 'status', 'taken_by')
if not header[1] or header[1] == 'ended' or not is_kept(group, ARGV[1]) then return false end
-- The same call again, because its answer was lost on the way, takes nothing twice.
if header[2] ~= ARGV[2] then
  redis.call('HINCRBY', group, 'attempt', 1)
  redis.call('HSET', group, 'status', 'running', 'taken_by', ARGV[2])
end
return redis.call('HGETALL', group)
