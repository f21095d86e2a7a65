-- KEYS: one for each scope. Gives the names and values of each.
local found = {}
for index, scope in ipairs(KEYS) do found[index] = redis.call('HGETALL', scope) end
return found
