-- Adds a step from outside the turn. KEYS: group. ARGV: kept since, field, JSON. Gives 'written' or 'absent'.
local group = KEYS[1]
if not is_kept(group, ARGV[1]) then return 'absent' end
put_step(group, ARGV[2], ARGV[3])
return 'written'
