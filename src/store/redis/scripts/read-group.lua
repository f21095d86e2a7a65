-- Gives the whole group, or nil. KEYS: group. ARGV: kept since.
if not is_kept(KEYS[1], ARGV[1]) then return false end
return redis.call('HGETALL', KEYS[1])
