-- The position of a thread's next turn among all that wait: lower goes first. Each channel's turns are as
-- far apart as its workspace has channels that wait, so that workspaces go on at the same pace however
-- many turns and channels they have. No channel is put behind for ever: positions only grow. A position that is
-- not taken is given again.
local function next_position(clock, waiting, workspace, channel, last_position, is_taken)
  local epoch = redis.call('HGET', clock, 'epoch') or '0'
  local now = tonumber(redis.call('HGET', clock, 'now') or '0')
  if now > last_position / 2 and redis.call('EXISTS', waiting) == 0 then
    -- None waits, so that none is passed over when the numbers begin anew.
    epoch, now = redis.call('HINCRBY', clock, 'epoch', 1), 0
    redis.call('HSET', clock, 'now', 0)
  end
  local shares = clock .. ':' .. epoch .. ':' .. workspace
  redis.call('ZREMRANGEBYSCORE', shares, '-inf', now)
  local last = tonumber(redis.call('ZSCORE', shares, channel) or now)
  if last == now then redis.call('ZADD', shares, now, channel) end
  local position = math.min(last_position, last + redis.call('ZCARD', shares))
  if is_taken then redis.call('ZADD', shares, position, channel) end
  redis.call('PEXPIRE', shares, 3600000)
  return position
end

--- push
-- Puts turns at the end of their thread's inbox, but those that are there, or among the dead.
-- KEYS: inbox, threads, dead, clock, waiting. ARGV: thread, now, workspace, channel, last position, 1 to take
-- the turn from the dead, then the turns in their order.
-- Gives the position of the thread, or nil when the last of the turns is among the dead and stays there.
local last = ARGV[#ARGV]
if ARGV[6] == '1' and redis.call('HDEL', KEYS[3], last) == 0 then return false end
local had = redis.call('LLEN', KEYS[1])
for index = 7, #ARGV do
  local turn = ARGV[index]
  local is_dead = redis.call('HEXISTS', KEYS[3], turn) == 1
  if not is_dead and not redis.call('LPOS', KEYS[1], turn) then redis.call('RPUSH', KEYS[1], turn) end
end
if redis.call('HEXISTS', KEYS[3], last) == 1 and had == redis.call('LLEN', KEYS[1]) then return false end
redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1])
-- Behind another turn of its thread it takes its position when that has ended.
local is_first = had == 0
return next_position(KEYS[4], KEYS[5], ARGV[3], ARGV[4], tonumber(ARGV[5]), is_first)

--- claim
-- The thread's first turn, for the worker that holds the lock of the thread's job.
-- KEYS: inbox, threads, lock, clock. ARGV: thread, the worker's token, the position it had. Gives the turn, or nil.
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return false end
local turn = redis.call('LINDEX', KEYS[1], 0)
if not turn then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return false
end
if tonumber(ARGV[3]) > tonumber(redis.call('HGET', KEYS[4], 'now') or '0') then
  redis.call('HSET', KEYS[4], 'now', ARGV[3])
end
return turn

--- settle
-- Takes a turn that has ended out of the inbox, for the worker that holds the lock of the thread's job: one
-- that was silent for longer than its lock may have a successor, which still runs the turn.
-- KEYS: inbox, threads, lock, dead, clock, waiting. ARGV: thread, the worker's token, turn, workspace, channel, last
-- position, what the dead list is to keep of it (empty: it is not dead).
-- Gives the position of the thread's next turn, 0 when none waits, nil when the worker has lost the job. The
-- same again, after a lost answer, comes to the same.
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return false end
redis.call('LREM', KEYS[1], 1, ARGV[3])
if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], ARGV[3], ARGV[7]) end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 0
end
return next_position(KEYS[5], KEYS[6], ARGV[4], ARGV[5], tonumber(ARGV[6]), true)
