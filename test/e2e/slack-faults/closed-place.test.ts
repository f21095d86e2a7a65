/** A channel that is closed in the middle of a turn: the turn ends before more is paid, and its asker is told. */

import { expect, test } from 'vitest';
import { scopeNames } from '../../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { startCouncil } from '../../platforms/slack/slack-world.ts';
import { inWords, pausing } from './pausing-models.ts';

const keys = ['ada', 'ben', 'cleo', 'dan'] as const;
const silent = () => new Promise<never>(() => undefined);

test.each([
  { while: 'three have answered and one thinks', begun: 3, isGrowing: false },
  { while: 'all of its answers grow', begun: 4, isGrowing: true },
])(
  'a turn whose channel is archived while $while ends there, and its asker is told in private',
  async ({ begun, isGrowing }) => {
    const gate = Promise.withResolvers<void>();
    const lines = keys.map((key) => inWords(answer(`${key} says it, and why.`)));
    const sages = Object.fromEntries(keys.map((key, index) => [key, [lines[index] ?? '']]));
    const held = async () => {
      await gate.promise;
      return answer('Dan says it, and why.');
    };
    const models = scriptedModels({
      ...wholeScript,
      sages: isGrowing ? sages : { ...sages, dan: [held] },
      // Silent until they are aborted.
      reviews: Object.fromEntries(keys.map((key) => [key, [silent]])),
    });
    await using council = await startCouncil(
      isGrowing ? pausing(models, () => gate.promise) : models,
      { scopes: scopeNames },
    );
    const { slack, ada, channel, bot } = council;
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    const said = () => slack.thread(channel, thread).filter(({ isApp }) => isApp);
    await slack.until(() => said().length === 1 + begun, 'answers');
    slack.changeChannel(channel, { isArchived: true });
    gate.resolve();
    const direct = await ada.direct();
    await slack.until(() => slack.messages(direct).length > 0, 'word of it');
    await bot.idle();
    expect(slack.messages(direct).map(({ text }) => text)).toEqual([
      expect.stringContaining('The rest of the answers can’t be shown there'),
    ]);
    expect(models.chair.requests).toEqual([]);
    expect(await bot.store.turns.unfinished(10)).toEqual([]);
  },
  30_000,
);
