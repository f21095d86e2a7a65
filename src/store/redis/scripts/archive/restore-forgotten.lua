-- KEYS: workspace. ARGV: event, when it expires, how long that is in milliseconds.
local events = forgotten_events(KEYS[1])
redis.call('ZADD', events, ARGV[2], ARGV[1])
redis.call('PEXPIRE', events, math.max(redis.call('PTTL', events), tonumber(ARGV[3])))
return 'written'
