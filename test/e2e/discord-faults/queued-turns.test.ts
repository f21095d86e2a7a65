import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { Channel } from '../../fakes/discord/world/records.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { type CouncilInDiscord, joinWorld } from '../../platforms/discord/discord-world.ts';
import { routes } from './whole-turn.ts';

/** A channel in which Ben was asked twice; the second question came while he thought about the first. */
async function askTwice(
  where: 'a thread' | 'a direct message',
  council: CouncilInDiscord,
  release: () => void,
): Promise<Channel> {
  const { discord, channel, ada } = council;
  let place: Channel;
  if (where === 'a thread') {
    const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    const [thread] = discord.threads(channel.id);
    if (thread?.id !== asked.wire.id) throw new Error('There is no thread.');
    place = thread;
  } else {
    place = discord.directMessages(ada);
    discord.userSays(place, ada, 'Ben: should we?');
    await discord.until(() => discord.messages(place.id).length === 2, 'the card');
  }
  const { id } = place;
  discord.userSays(place, ada, 'Ben: and then?', { mentionsBot: true });
  await discord.until(
    () => discord.messages(id).some(({ wire }) => wire.content.startsWith('Queued:')),
    'the note that the second question is taken',
  );
  release();
  return place;
}

/** What Ben said, under his own name or a label. */
function saidByBen({ discord }: Pick<CouncilInDiscord, 'discord'>, { id }: Channel) {
  return discord
    .messages(id)
    .filter(({ wire }) => /Ben Sage/.test(`${wire.author.username} ${wire.content}`))
    .map(({ wire }) => wire.content.replace('**Ben Sage**\n', ''));
}

const places = ['a thread', 'a direct message'] as const;

test.each(places)(
  'in %s a second answer that gets lost is not taken for the first one',
  async (where) => {
    await using world = await startWorld();
    const { discord } = world;
    const gate = Promise.withResolvers<string>();
    const models = scriptedModels({
      sages: { ben: [() => gate.promise, answer('Then no.')] },
    });
    await using council = await joinWorld(world, models);
    const place = await askTwice(where, council, () => gate.resolve(answer('No.')));
    await discord.until(() => saidByBen(council, place).length === 1, 'the first answer');
    discord.faults.failNext(where === 'a thread' ? routes.webhookPost : routes.botPost, {
      kind: 'drop',
    });
    await council.bot.idle();
    expect(saidByBen(council, place)).toEqual(['No.', 'Then no.']);
  },
);

test.each(places)(
  'in %s a second turn that is resumed does not take the first one’s answer for its own',
  async (where) => {
    await using world = await startWorld();
    const { discord } = world;
    const gate = Promise.withResolvers<string>();
    const cut = scriptedModels({ sages: { ben: [() => gate.promise, hang] } });
    const first = await joinWorld(world, cut);
    const place = await askTwice(where, first, () => gate.resolve(answer('No.')));
    await expect.poll(() => cut.sage({ key: 'ben' }).requests.length).toBe(2);
    await first.bot.shutDown();
    expect(saidByBen(world, place)).toEqual(['No.']);
    const { store } = first.bot;
    const rest = scriptedModels({ sages: { ben: [answer('Then no.')] } });
    await using second = await joinWorld(world, rest, { store });
    await second.bot.idle();
    expect(saidByBen(world, place)).toEqual(['No.', 'Then no.']);
    expect(discord.violations.all).toEqual([]);
  },
);

test.each(places)(
  'in %s a second turn whose process died before its card is shown whole',
  async (where) => {
    await using world = await startWorld();
    const gate = Promise.withResolvers<string>();
    const cut = scriptedModels({ sages: { ben: [() => gate.promise, hang] } });
    const first = await joinWorld(world, cut);
    const { store } = first.bot;
    const place = await askTwice(where, first, () => undefined);
    // The first turn is shown to its end; the second one is left in the queue.
    const stopped = first.bot.bot.stopAll(15_000);
    gate.resolve(answer('No.'));
    await stopped;
    expect(saidByBen(world, place)).toEqual(['No.']);
    const [left] = await store.turns.unfinished(10);
    // What a process does first of all.
    if (left) await store.turns.take(left);
    const rest = scriptedModels({ sages: { ben: [answer('Then no.')] } });
    await using second = await joinWorld(world, rest, { store });
    await second.bot.idle();
    expect(saidByBen(world, place)).toEqual(['No.', 'Then no.']);
  },
);
