-- KEYS: claims. ARGV: now, offset, limit. Gives {claim, when it expires} for each that has not expired.
local found = {}
local claims = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'expiry', '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', ARGV[2], ARGV[3])
for at = 1, #claims, 2 do found[#found + 1] = { claims[at], claims[at + 1] } end
return found
