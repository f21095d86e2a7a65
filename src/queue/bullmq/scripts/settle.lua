-- Takes a turn that has ended out of the inbox, for the worker that holds the lock of the thread's job: one
-- that was silent for longer than its lock may have a successor, which still runs the turn.
-- KEYS: inbox, threads, lock, dead, clock, waiting. ARGV: thread, the worker's token, turn, workspace, channel, last
-- place, what the dead list is to keep of it (empty: it is not dead).
-- Gives the place of the thread's next turn, 0 when none waits, nil when the worker has lost the job. The
-- same again, after a lost answer, comes to the same.
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return false end
redis.call('LREM', KEYS[1], 1, ARGV[3])
if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], ARGV[3], ARGV[7]) end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 0
end
return next_place(KEYS[5], KEYS[6], ARGV[4], ARGV[5], tonumber(ARGV[6]), true)
