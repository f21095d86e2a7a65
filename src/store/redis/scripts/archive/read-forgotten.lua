-- KEYS: workspace. ARGV: now. Gives events whose turns were forgotten, and when each expires, in turn.
return redis.call('ZRANGEBYSCORE', forgotten_events(KEYS[1]), '(' .. ARGV[1], '+inf', 'WITHSCORES')
