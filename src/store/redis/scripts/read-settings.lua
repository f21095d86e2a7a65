-- KEYS: workspace. ARGV: the scopes. Gives the names and values of each.
local found = {}
for index, scope in ipairs(ARGV) do found[index] = redis.call('HGETALL', KEYS[1] .. 'settings:' .. scope) end
return found
