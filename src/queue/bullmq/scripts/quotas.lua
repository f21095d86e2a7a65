local moment = redis.call('TIME')
local now = moment[1] * 1000 + math.floor(moment[2] / 1000)

--- take
-- Takes all or nothing. KEYS: what the holder has. ARGV: what the keys of things begin with, holder,
-- lease, rounding error, then name, amount and limit of each. Gives 'taken', or {name, held} of the
-- first thing that is short.
local holder, lease = ARGV[2], tonumber(ARGV[3])
for at = 5, #ARGV, 3 do
  local thing, held = ARGV[1] .. ARGV[at], 0
  local holders = redis.call('HGETALL', thing)
  for index = 1, #holders, 2 do
    local amount, expires = string.match(holders[index + 1], '^(%S+) (%S+)$')
    if tonumber(expires) <= now then redis.call('HDEL', thing, holders[index])
    elseif holders[index] ~= holder then held = held + tonumber(amount) end
  end
  if held + tonumber(ARGV[at + 1]) > tonumber(ARGV[at + 2]) + tonumber(ARGV[4]) then
    return { ARGV[at], string.format('%.17g', held) }
  end
end
for at = 5, #ARGV, 3 do
  local thing = ARGV[1] .. ARGV[at]
  redis.call('HSET', thing, holder, ARGV[at + 1] .. ' ' .. string.format('%d', now + lease))
  if redis.call('PTTL', thing) < lease then redis.call('PEXPIRE', thing, lease) end
  redis.call('SADD', KEYS[1], ARGV[at])
end
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], lease) end
return 'taken'

--- keep
-- Holds on to what the holder has, or with a lease of 0 gives it back.
-- KEYS: what the holder has. ARGV: what the keys of things begin with, holder, lease.
local lease = tonumber(ARGV[3])
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local thing = ARGV[1] .. name
  if lease == 0 then redis.call('HDEL', thing, ARGV[2])
  else
    local held = redis.call('HGET', thing, ARGV[2])
    if held then
      redis.call('HSET', thing, ARGV[2], string.match(held, '^%S+') .. ' ' .. string.format('%d', now + lease))
      if redis.call('PTTL', thing) < lease then redis.call('PEXPIRE', thing, lease) end
    end
  end
end
if lease == 0 then redis.call('DEL', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], lease) end
return 'kept'
