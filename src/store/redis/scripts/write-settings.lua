-- KEYS: scope. ARGV: names and values; an empty value removes the setting.
for at = 1, #ARGV, 2 do
  if ARGV[at + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[at])
  else
    redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
return 'written'
