-- KEYS: one for each scope. ARGV: the first day that counts. Gives a sum for each, as text.
local sums = {}
for index, scope in ipairs(KEYS) do
  local days, sum = redis.call('HGETALL', scope), 0
  for at = 1, #days, 2 do
    if tonumber(days[at]) >= tonumber(ARGV[1]) then sum = sum + tonumber(days[at + 1]) end
  end
  sums[index] = string.format('%.17g', sum)
end
return sums
