-- KEYS: claims by when they expire, claims by whose they are. ARGV: now, offset, limit.
-- Gives {claim, when it expires, whose it is} for each that has not expired.
local found = {}
local claims = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', ARGV[2], ARGV[3])
for at = 1, #claims, 2 do
  found[#found + 1] = { claims[at], claims[at + 1], redis.call('HGET', KEYS[2], claims[at]) }
end
return found
