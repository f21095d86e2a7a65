/** What Slack refuses at the beginning of a turn is told, and costs nothing; what it refuses later is said plainly. */

import { describe, expect, test } from 'vitest';
import { scopeNames } from '../../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import type { RecordedCall } from '../../fakes/slack/api/journal.ts';
import { type CouncilInSlack, startCouncil } from '../../platforms/slack/slack-world.ts';

const start = (models = scriptedModels({ sages: { ben: [answer('No.')] } })) =>
  startCouncil(models, { scopes: scopeNames });

function refuse({ slack }: CouncilInSlack, error: string, when?: (call: RecordedCall) => boolean) {
  const plan = when ? { when } : {};
  slack.faults.plan('chat.postMessage', { kind: 'refusal', error }, plan);
}

async function endOf({ bot, slack, channel }: CouncilInSlack, thread: string): Promise<unknown> {
  const threadId = `slack:${slack.workspace.id}:${channel.id}:${thread}`;
  const [header] = await bot.store.turns.list(threadId, { limit: 1 });
  const record = header && (await bot.store.turns.read(header));
  return [record?.outcome, JSON.stringify(record?.steps)];
}

describe('in Slack', () => {
  test.each([
    ['restricted_action_read_only_channel', 'I may not post in the channel. Ask in another one.'],
    ['is_archived', 'the channel is archived. Ask in another one.'],
    ['not_in_channel', 'I am not in the conversation. Invite me with /invite, and ask again.'],
    ['some_new_word', 'Slack refused it (some_new_word).'],
  ])(
    'no model is asked when the first post is refused with %s, and the person is told alone',
    async (code, why) => {
      const silent = scriptedModels({ sages: { ben: [answer('No.')] } });
      await using council = await start(silent);
      const { slack, ada, channel, bot, lines } = council;
      refuse(council, code);
      const { thread } = await ada.mentions(channel, 'Ben: should we?');
      const told = () => slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor);
      await slack.until(() => told().length > 0, 'word of it');
      await bot.idle();
      expect(told().map(({ text, ephemeralFor }) => [ephemeralFor, text])).toEqual([
        [ada.user.id, expect.stringContaining(`The answers can’t be shown there: ${why}\n`)],
      ]);
      expect(silent.sage({ key: 'ben' }).requests).toEqual([]);
      expect(await endOf(council, thread)).toEqual(['failed', expect.stringContaining(code)]);
      expect(lines.join('\n')).toContain('a turn can’t be shown; it ends before any model is paid');
    },
  );

  test('who can’t be told where they asked is told in their conversation with the app', async () => {
    await using council = await start();
    const { slack, ada, channel, bot } = council;
    const direct = await ada.direct();
    refuse(council, 'restricted_action');
    const refusal = { kind: 'refusal', error: 'restricted_action' } as const;
    slack.faults.plan('chat.postEphemeral', refusal);
    await ada.mentions(channel, 'Ben: should we?');
    await slack.until(() => slack.messages(direct).length > 0, 'word of it');
    await bot.idle();
    expect(slack.messages(direct).map(({ text }) => text)).toEqual([
      expect.stringMatching(/The answers can’t be shown there.*You asked in https:/s),
    ]);
  });

  test('who has deleted the question meanwhile is told nothing', async () => {
    const silent = scriptedModels({ sages: { ben: [answer('No.')] } });
    await using council = await start(silent);
    const { slack, ada, channel, bot, lines } = council;
    // So that the deletion is not told.
    slack.setScopes(scopeNames.filter((scope) => scope !== 'channels:history'));
    slack.faults.plan('chat.postMessage', { kind: 'rate limit', retryAfterSeconds: 1 });
    const said = await ada.mentions(channel, 'Ben: should we?');
    await ada.deletes(channel, said);
    await expect.poll(() => lines.join('\n')).toContain('a turn can’t be shown');
    await bot.idle();
    expect(slack.appMessages()).toEqual([]);
  });

  test('what is refused for its blocks is said without any, and the turn goes on', async () => {
    await using council = await start(scriptedModels(wholeScript));
    const { slack, ada, channel, bot } = council;
    const says = (word: string) => (call: RecordedCall) => JSON.stringify(call.args).includes(word);
    refuse(council, 'invalid_blocks', says('"part":"progress"'));
    refuse(council, 'invalid_blocks', says('"part":"verdict"'));
    const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
    const shown = () => slack.thread(channel, thread).map(({ text }) => text);
    await slack.until(() => shown().some((text) => text.includes('Rewrite it')), 'the verdict');
    await bot.idle();
    expect(shown().join('\n')).toContain('Rewrite it in parts.');
    expect(shown().join('\n')).toContain('Ben would leave it.');
    expect(shown().join('\n')).not.toContain('Not everything could be posted');
    expect(council.lines.join('\n')).toContain('it is sent in a plainer form');
  });
});
