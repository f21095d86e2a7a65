local moment = redis.call('TIME')
local now = moment[1] * 1000 + math.floor(moment[2] / 1000)

--- exchange
-- Takes one process's changes to a semaphore and returns its callers that were admitted.
-- KEYS: the prefix of the semaphore's keys. ARGV: the process, the limit, the lease of permits and requests
-- in milliseconds, the numbers of gone, holding and waiting callers, then the gone, the holding, and caller
-- and share of each waiting one. A caller's name begins with its process and a colon.
local held, waiting, ring = KEYS[1] .. ':held', KEYS[1] .. ':waiting', KEYS[1] .. ':ring'
local turns = KEYS[1] .. ':turns'
local process, limit, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local function line_of(share) return KEYS[1] .. ':line:' .. share end
local function admissions_of(holder) return KEYS[1] .. ':told:' .. holder end

redis.call('ZREMRANGEBYSCORE', held, '-inf', now)
redis.call('ZREMRANGEBYSCORE', waiting, '-inf', now)

local at = 7
for index = at, at + ARGV[4] - 1 do
  redis.call('ZREM', held, ARGV[index])
  redis.call('ZREM', waiting, ARGV[index])
end
at = at + ARGV[4]
for index = at, at + ARGV[5] - 1 do redis.call('ZADD', held, now + lease, ARGV[index]) end
at = at + ARGV[5]

local admitted = {}
for index = at, at + 2 * ARGV[6] - 2, 2 do
  local caller, share = ARGV[index], ARGV[index + 1]
  -- It holds a permit already: the reply that said so was lost.
  if redis.call('ZSCORE', held, caller) then table.insert(admitted, caller)
  else
    if redis.call('ZADD', waiting, now + lease, caller) == 1 then
      redis.call('RPUSH', line_of(share), caller)
      if not redis.call('ZSCORE', ring, share) then
        redis.call('ZADD', ring, redis.call('INCR', turns), share)
      end
    end
    redis.call('PEXPIRE', line_of(share), 2 * lease)
  end
end

while redis.call('ZCARD', held) < limit do
  local share = redis.call('ZPOPMIN', ring)[1]
  if not share then break end
  local caller
  -- Skip callers that left or died, without costing their share its turn.
  repeat caller = redis.call('LPOP', line_of(share))
  until not caller or redis.call('ZREM', waiting, caller) == 1
  if redis.call('LLEN', line_of(share)) > 0 then
    redis.call('ZADD', ring, redis.call('INCR', turns), share)
  end
  if caller then
    redis.call('ZADD', held, now + lease, caller)
    local admissions = admissions_of(string.match(caller, '^[^:]+'))
    redis.call('RPUSH', admissions, caller)
    redis.call('PEXPIRE', admissions, lease)
  end
end

for _, caller in ipairs(redis.call('LRANGE', admissions_of(process), 0, -1)) do table.insert(admitted, caller) end
redis.call('DEL', admissions_of(process))
for _, key in ipairs({ held, waiting, ring, turns }) do redis.call('PEXPIRE', key, 2 * lease) end
return admitted

--- take
-- Takes all claims or none. KEYS: the set of what the holder has. ARGV: the prefix of the quota keys, holder,
-- lease, how long a release is remembered, rounding tolerance, then name, amount and limit of each claim.
-- Returns how many milliseconds ago any of it was released last, at most as many as are remembered, or
-- {name, held} of the first thing that runs short.
local holder, lease, known = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
-- When the last release will have been forgotten.
local forgotten = now
for at = 6, #ARGV, 3 do
  local key, held = ARGV[1] .. ARGV[at], 0
  local holders = redis.call('HGETALL', key)
  for index = 1, #holders, 2 do
    local amount, expires = string.match(holders[index + 1], '^(%S+) (%S+)$')
    if tonumber(expires) <= now then redis.call('HDEL', key, holders[index])
    -- A holder without a name is the note of the last release; its amount is 0.
    elseif holders[index] == '' then forgotten = math.max(forgotten, tonumber(expires))
    elseif holders[index] ~= holder then held = held + tonumber(amount) end
  end
  if held + tonumber(ARGV[at + 1]) > tonumber(ARGV[at + 2]) + tonumber(ARGV[5]) then
    return { ARGV[at], string.format('%.17g', held) }
  end
end
for at = 6, #ARGV, 3 do
  local key = ARGV[1] .. ARGV[at]
  redis.call('HSET', key, holder, ARGV[at + 1] .. ' ' .. string.format('%d', now + lease))
  if redis.call('PTTL', key) < lease then redis.call('PEXPIRE', key, lease) end
  redis.call('SADD', KEYS[1], ARGV[at])
end
if redis.call('PTTL', KEYS[1]) < lease then redis.call('PEXPIRE', KEYS[1], lease) end
return now + known - forgotten

--- keep
-- Renews the lease of everything the holder has, or with a lease of 0 frees it.
-- KEYS: the set of what the holder has. ARGV: the prefix of the quota keys, holder, lease, how long a release is
-- remembered.
local lease, known = tonumber(ARGV[3]), tonumber(ARGV[4])
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local key = ARGV[1] .. name
  if lease == 0 then
    if redis.call('HDEL', key, ARGV[2]) == 1 then
      redis.call('HSET', key, '', '0 ' .. string.format('%d', now + known))
      if redis.call('PTTL', key) < known then redis.call('PEXPIRE', key, known) end
    end
  else
    local held = redis.call('HGET', key, ARGV[2])
    if held then
      redis.call('HSET', key, ARGV[2], string.match(held, '^%S+') .. ' ' .. string.format('%d', now + lease))
      if redis.call('PTTL', key) < lease then redis.call('PEXPIRE', key, lease) end
    end
  end
end
if lease == 0 then redis.call('DEL', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], lease) end
return 'kept'
