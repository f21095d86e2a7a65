-- Where a turn is. KEYS: turn, or the event that made it. Gives its group, or nil.
return redis.call('GET', KEYS[1])
