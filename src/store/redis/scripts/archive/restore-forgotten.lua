-- KEYS: forgotten events of a workspace. ARGV: event, when it expires, how long that is in milliseconds.
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[3])))
return 'written'
