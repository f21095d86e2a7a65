import { expect, test } from 'vitest';
import { DiscordRefusal } from '../../../src/platforms/discord/discord-error.ts';
import { startTurn } from './shown-turn.ts';

/** Of the verdict. */
const verdict = 'Do both.';

test('a card that may not quote the verdict, e.g. for a link in it, tells the end without it', async () => {
  await using turn = await startTurn();
  const refusal = new DiscordRefusal('Discord refused: Blocked (code 240000)', {
    code: 240000,
    status: 400,
  });
  await turn.show({}, async ({ body }, send) => {
    if (JSON.stringify(body)?.includes(verdict)) throw refusal;
    return send();
  });
  const shown = turn.said().join('\n');
  expect(shown).not.toContain(verdict);
  expect(shown).not.toContain('⏳');
  expect(shown).toContain('The council has answered.');
  expect(shown).toContain('Not everything could be posted: Discord refused: Blocked');
});
