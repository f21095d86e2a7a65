import { expect, test } from 'vitest';
import { english } from '../../../../src/domain/languages/english.ts';
import { advance, notBegun } from '../../../../src/platforms/chat/show/turn-progress.ts';
import { personasOf as discordPersonas } from '../../../../src/platforms/discord/presenter/persona.ts';
import { rankingMessage } from '../../../../src/platforms/discord/presenter/ranking-message.ts';
import { personasOf as slackPersonas } from '../../../../src/platforms/slack/presenter/persona.ts';
import { verdictParts } from '../../../../src/platforms/slack/presenter/turn-messages.ts';
import { concluded, docketed, marcus, ranked, seated, taleb } from '../../terminal/turn-events.ts';

const failure = { reason: 'empty', explanation: 'It said nothing.' } as const;

test.each([
  ['offered', 'no docket is there', [ranked]],
  ['offered', 'the docket failed', [docketed('', { contradictions: [], failure }), ranked]],
  ['not offered', 'there was a docket', [docketed('When'), ranked]],
  ['not offered', 'nothing was ranked', []],
] as const)('going deeper is %s on every platform where %s', async (offered, _, events) => {
  const verdictEvent = concluded();
  if (verdictEvent.type !== 'concluded') throw new Error('That is no verdict.');
  const progress = [seated, ...events].reduce(advance, notBegun);
  const seats = [marcus, taleb];
  const turn = { turnId: 'turn-1', words: english, progress, reviews: [] };
  const onDiscord = await rankingMessage(
    { ...turn, personas: discordPersonas(seats) },
    async () => undefined,
  );
  const onSlack = verdictParts({
    turnId: 'turn-1',
    words: english,
    reviews: [],
    personas: slackPersonas(seats),
    verdict: verdictEvent.verdict,
    docket: progress.docket,
    ranked: progress.ranked,
    offers: { again: [], next: [], mayPost: false, notes: [] },
  });
  for (const shown of [onDiscord, onSlack.below]) {
    const found = JSON.stringify(shown ?? '').includes('deeper --turn turn-1');
    expect(found).toBe(offered === 'offered');
  }
});
