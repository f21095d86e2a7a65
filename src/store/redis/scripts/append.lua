-- Adds messages from elsewhere to a thread; a known id is left as it is.
-- KEYS: thread, threads. ARGV: call, then for each message its id, kind and turn, role and status, created, JSON.
local thread = KEYS[1]
for at = 2, #ARGV, 5 do
  local id, owner, role_and_status, created = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if redis.call('HEXISTS', thread .. 'ids', id) == 0 then
    local kind, turn = string.sub(owner, 1, 1), string.sub(owner, 2)
    notice(thread, string.sub(role_and_status, 3, 3), ARGV[1])
    add_message(thread, kind, turn, id, role_and_status, created, next_place(thread), ARGV[at + 4], ARGV[1])
    redis.call('ZADD', KEYS[2], 'LT', created, thread)
  end
end
return 'written'
