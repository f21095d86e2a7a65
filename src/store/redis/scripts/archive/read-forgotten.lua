-- KEYS: forgotten events, of some workspaces. ARGV: now. Gives {events and when each expires, in turn} for each.
local found = {}
for at, key in ipairs(KEYS) do
  found[at] = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[1], '+inf', 'WITHSCORES')
end
return found
