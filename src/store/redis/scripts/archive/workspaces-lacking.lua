-- KEYS: workspaces. ARGV: workspaces. Gives those that are not in the list of workspaces.
local lacking = {}
for _, workspace in ipairs(ARGV) do
  if not redis.call('ZSCORE', KEYS[1] .. 'list', workspace) then lacking[#lacking + 1] = workspace end
end
return lacking
