-- KEYS: workspace. ARGV: the first day that counts, the scopes. Gives a sum for each, as text.
local sums = {}
for index = 2, #ARGV do
  local days, sum = redis.call('HGETALL', KEYS[1] .. 'spending:' .. ARGV[index]), 0
  for at = 1, #days, 2 do
    if tonumber(days[at]) >= tonumber(ARGV[1]) then sum = sum + tonumber(days[at + 1]) end
  end
  sums[index - 1] = string.format('%.17g', sum)
end
return sums
