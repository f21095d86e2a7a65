-- Where a turn is. KEYS: turn. Gives its group, or nil.
return redis.call('GET', KEYS[1])
