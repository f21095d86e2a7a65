/** A private channel that is shared with another organisation gets another id, and is the same channel. */

import { expect, test } from 'vitest';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { type CouncilInSlack, joinSlack, startSlackWorld } from '../platforms/slack/slack-world.ts';

function benSays(...said: readonly string[]) {
  return scriptedModels({ sages: { ben: said.map(answer) } });
}

type Channel = CouncilInSlack['channel'];

/** Asks in a channel, and waits for what the sage says. */
async function ask(
  { slack, ada, bot }: CouncilInSlack,
  channel: Channel,
  [question, reply]: readonly [string, string],
  thread?: string,
): Promise<string> {
  const asked = await ada.mentions(channel, question, thread === undefined ? {} : { thread });
  await slack.until(
    () => slack.thread(channel, asked.thread).some(({ text }) => text === reply),
    reply,
  );
  await bot.idle();
  return asked.thread;
}

test('its threads, its settings and its memory go on under the new id, also after a restart', async () => {
  const world = await startSlackWorld({ scopes: scopeNames });
  await using slack = world.slack;
  const before = await joinSlack(world, benSays('In May.', 'In June.'));
  const { boss, bot } = before;
  const dredging = await slack.addChannel('dredging', { creator: boss, isPrivate: true });
  const thread = await ask(before, dredging, ['Ben: when do we dredge?', 'In May.']);
  await boss.commands(dredging, '/council config set depth quick');
  const shared = await slack.shareChannel(dredging);
  await ask(before, shared, ['Ben: and then?', 'In June.'], thread);
  await boss.commands(shared, '/council config set language German');
  await bot.idle();
  const { store } = bot;
  await before[Symbol.asyncDispose]();

  const models = benSays('In July.', 'In August.');
  await using after = await joinSlack(world, models, { store });
  await ask(after, shared, ['Ben: and after that?', 'In July.'], thread);
  const kept = `slack:${slack.workspace.id}:${dredging.id}`;
  const turns = await store.turns.list(`${kept}:${thread}`, { limit: 9 });
  expect(turns).toHaveLength(3);
  const last = await store.turns.read({
    turnId: turns[0]?.turnId ?? '',
    threadId: `${kept}:${thread}`,
  });
  expect(last?.request).toMatchObject({ isPrivate: true, isOpenOutside: true });
  await ask(after, shared, ['Ben: what did we say of dredging?', 'In August.']);
  // What was said under the old id is recalled in a new thread.
  expect(JSON.stringify(models.sage({ key: 'ben' }).requests.at(-1))).toContain('In May.');
  const [settings] = await store.settings.read([`channel:${kept}`]);
  expect(settings).toMatchObject({ depth: { value: 'quick' }, language: { value: 'German' } });
  const { threadIds } = await store.messages.threads(`slack:${slack.workspace.id}`, { limit: 9 });
  expect(threadIds.every((id) => id.startsWith(kept))).toBe(true);
  slack.assertNoViolations();
});

test('nothing of other channels is recalled there from the change on, also by a command', async () => {
  const world = await startSlackWorld({ scopes: scopeNames });
  await using slack = world.slack;
  await using council = await joinSlack(world, benSays('In May.', 'In June.'));
  const { ada, boss, bot } = council;
  const dredging = await slack.addChannel('dredging', { creator: boss, isPrivate: true });
  await ask(council, dredging, ['Ben: when do we dredge?', 'In May.']);
  const shared = await slack.shareChannel(dredging);
  await ada.commands(shared, '/council ask Ben: and then?');
  await slack.until(
    () => slack.appMessages().some(({ text }) => text === 'In June.'),
    'the answer',
  );
  await bot.idle();
  const { threadIds } = await bot.store.messages.threads(`slack:${slack.workspace.id}`, {
    limit: 9,
  });
  const turns = await Promise.all(
    threadIds.map(async (threadId) => {
      const [header] = await bot.store.turns.list(threadId, { limit: 1 });
      return header && (await bot.store.turns.read(header));
    }),
  );
  expect(turns.map((turn) => turn?.request.isOpenOutside === true).toSorted()).toEqual([
    false,
    true,
  ]);
});
