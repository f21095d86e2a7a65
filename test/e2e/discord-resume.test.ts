import { expect, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { InlineQueue } from '../../src/queue/inline/inline-queue.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { hang } from '../fakes/scripted-model.ts';
import { joinWorld } from '../platforms/discord/discord-world.ts';

test('a resumed follow-up does not take an earlier answer of the same sage for its own', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  const gate = Promise.withResolvers<string>();
  const before = scriptedModels({ sages: { ben: [() => gate.promise, hang] } });
  const first = await joinWorld(world, before);
  const thread = discord.userOpensThread(channel, ada, 'Engines');
  discord.userSays(thread, ada, 'Ben: should we?', { mentionsBot: true });
  await expect.poll(() => before.sage({ key: 'ben' }).requests.length).toBe(1);
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await discord.until(
    () => discord.messages(thread.id).some(({ wire }) => wire.content.startsWith('Queued:')),
    'the second question to wait',
  );
  gate.resolve(answer('No.'));
  await expect.poll(() => before.sage({ key: 'ben' }).requests.length).toBe(2);
  await first.bot.shutDown();

  const after = scriptedModels({ sages: { ben: [answer('Still no.')] } });
  await using second = await joinWorld(world, after, { store: first.bot.store });
  await second.bot.idle();
  const said = discord.messages(thread.id).filter(({ wire }) => wire.webhook_id !== undefined);
  expect(said.map(({ wire }) => wire.content)).toEqual(['No.', 'Still no.']);
});

test('a turn that is run after a later one of its thread says what only the later one has said', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  const first = await joinWorld(world, scriptedModels({ sages: { ben: [hang] } }));
  const thread = discord.userOpensThread(channel, ada, 'Engines');
  discord.userSays(thread, ada, 'Ben: should we?', { mentionsBot: true });
  const texts = () =>
    discord.messages(thread.id).map(({ wire }) => JSON.stringify(wire.components));
  await discord.until(() => texts().some((text) => text.includes('|stop|')), 'the card');
  await first.bot.shutDown();

  // As if an operator had put the first one aside.
  const { store } = first.bot;
  const queue = new InlineQueue({
    concurrency: 1,
    tries: 1,
    willPass: () => false,
    log: silentLog,
    unfinished: async () => [],
  });
  const later = scriptedModels({ sages: { ben: [answer('Still no.')] } });
  const second = await joinWorld(world, later, { store, bot: { queue } });
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await discord.until(
    () => texts().some((text) => text.includes('1 of 1 answered.')),
    'the answer',
  );
  await queue.idle();
  await second.bot.shutDown();

  const again = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using third = await joinWorld(world, again, { store });
  await third.bot.idle();
  const said = discord.messages(thread.id).filter(({ wire }) => wire.webhook_id !== undefined);
  expect(said.map(({ wire }) => wire.content)).toEqual(['Still no.', 'No.']);
});

test('in someone else’s thread the card asks for a mention', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  await using council = await joinWorld(world, scriptedModels({ sages: { ben: [answer('No.')] } }));
  const thread = discord.userOpensThread(channel, ada, 'Engines');
  discord.userSays(thread, ada, 'Ben: should we?', { mentionsBot: true });
  const texts = () =>
    discord.messages(thread.id).map(({ wire }) => JSON.stringify(wire.components));
  await discord.until(() => texts().some((text) => text.includes('1 of 1 answered.')), 'the card');
  await council.bot.idle();
  expect(texts().join()).toContain('Mention me here');
});
