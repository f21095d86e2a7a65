-- Adds messages from elsewhere to a thread; a known id is left as it is.
-- KEYS: workspace. ARGV: the workspace's number, thread, call, then for each message its id, kind and
-- turn, role and status, created, JSON. Gives 'written' or 'unlisted'.
local workspace, thread, call = KEYS[1], ARGV[2], ARGV[3]
if not is_listed(workspace, ARGV[1]) then return 'unlisted' end
for at = 4, #ARGV, 5 do
  local id, owner, role_and_status, created = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if redis.call('HEXISTS', thread .. 'ids', id) == 0 then
    local kind, turn = string.sub(owner, 1, 1), string.sub(owner, 2)
    notice(thread, string.sub(role_and_status, 3, 3), call)
    add_message(thread, kind, turn, id, role_and_status, created, next_place(thread), ARGV[at + 4], call)
    redis.call('ZADD', workspace .. 'threads', 'LT', created, thread)
  end
end
return 'written'
