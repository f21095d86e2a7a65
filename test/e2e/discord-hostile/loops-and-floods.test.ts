/** Other bots, webhooks and people who never stop. */

import type { APIUser } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { adjustableClock } from '../../fakes/discord/world/clock.ts';
import { hang } from '../../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  setFollowUps,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import { expectNobodyPinged, finishedThread } from './hostile-world.ts';

/** Limits are tested elsewhere. */
const unhurried = { limits: { calls: [], editGapMs: 20 }, requestTimeoutMs: 15_000 };

/** How many turns were ever asked in a channel and its threads. */
async function turnsOf({ discord, guild, channel, bot }: CouncilInDiscord): Promise<number> {
  const threads = [channel.id, ...discord.threads(channel.id).map(({ id }) => id)];
  const lists = await Promise.all(
    threads.map((thread) =>
      bot.store.turns.list(`discord:${guild.id}:${channel.id}:${thread}`, { limit: 100 }),
    ),
  );
  return lists.flat().length;
}

/** Someone else's bot, as a member of the server. */
function otherBot({ discord, guild }: CouncilInDiscord): APIUser {
  const bot = { ...discord.addUser('Echo'), bot: true, discriminator: '0001' };
  discord.state.users.set(bot.id, bot);
  return discord.addMember(guild, bot);
}

test('a bot that repeats every message, mention and reply of the council begins no turn', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord, channel, bot } = council;
  await setFollowUps(council, 'everything');
  const echo = otherBot(council);
  const repeated = new Set<string>();
  discord.onCall(() => {
    for (const place of [channel, ...discord.threads(channel.id)]) {
      for (const message of discord.messages(place.id)) {
        const { wire } = message;
        if (wire.author.id === echo.id || repeated.has(wire.id)) continue;
        repeated.add(wire.id);
        discord.userSays(place, echo, `${textOf(message)} again?`.slice(0, 1900), {
          mentionsBot: true,
          repliesTo: message,
        });
      }
    }
  });
  ask(council, 'Should we rewrite the engine?');
  await finishedThread(council, channel);
  discord.userSays(channel, echo, 'Ben: should we?', { mentionsBot: true });
  await finishedThread(council, channel);
  await bot.idle();
  expect(repeated.size).toBeGreaterThanOrEqual(7);
  expect(await turnsOf(council)).toBe(1);
  expect(discord.threads(channel.id)).toHaveLength(1);
  expectNobodyPinged({ ...discord, pings: () => [] });
});

test('what a webhook says in a thread of the council, even as one of its sages, begins no turn', async () => {
  await using council = await startCouncil(
    scriptedModels({ sages: { ben: [answer('No.'), answer('Still no.')] } }),
  );
  const { discord, channel, ada, bot } = council;
  await setFollowUps(council, 'everything');
  ask(council, 'Ben: should we?');
  const thread = await finishedThread(council, channel);
  const webhook = discord.addWebhook(channel, ada, 'Announcements');
  const say = (username: string, content: string) =>
    fetch(
      `${discord.api}/v10/webhooks/${webhook.id}/${webhook.token}?wait=true&thread_id=${thread.id}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, content }),
      },
    );
  for (const name of ['Ben Sage', 'Ada', 'Somebody']) {
    expect((await say(name, `<@${discord.bot.id}> Ben: and now?`)).status).toBe(200);
  }
  // A reply to the impostor is a message like any other, and no word to Ben alone.
  const impostor = discord.messages(thread.id).find(({ wire }) => wire.webhook_id === webhook.id);
  if (!impostor) throw new Error('There is no impostor.');
  await setFollowUps(council, 'mention');
  discord.userSays(thread, ada, 'And why?', { repliesTo: impostor });
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await discord.until(
    () => discord.messages(thread.id).some(({ wire }) => wire.content === 'Still no.'),
    'the follow-up',
  );
  await bot.idle();
  expect(await turnsOf(council)).toBe(2);
});

test('of five hundred questions at once by mention no more than the limit begin, and the bot goes on', async () => {
  const models = scriptedModels({
    sages: { ben: [...Array(5).fill(hang), answer('Here I am.')] },
  });
  await using council = await startCouncil(models, unhurried);
  const { discord, guild, channel, ada, bot } = council;
  for (let count = 0; count < 500; count += 1) {
    discord.userSays(channel, ada, `Ben: question ${count}?`, { mentionsBot: true });
  }
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(5);
  await discord.until(() => discord.threads(channel.id).length === 5, 'the threads');
  expect(await turnsOf(council)).toBe(5);
  const eve = discord.addMember(guild, 'Eve');
  const direct = discord.directMessages(eve);
  discord.userSays(direct, eve, 'Ben: are you there?');
  await discord.until(
    () => discord.messages(direct.id).some(({ wire }) => wire.content.includes('Here I am.')),
    'an answer to somebody else',
  );
  // A flood is not answered by a flood of refusals.
  const refusals = discord
    .messages(channel.id)
    .filter(({ wire }) => wire.content.includes('questions open'));
  expect(refusals).toHaveLength(3);
  expect(council.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expectNobodyPinged(discord);
  for (const turn of await bot.store.turns.unfinished(10)) await bot.bot.stop(turn.turnId, turn);
});

test('of five hundred questions at once by command, five begin, and the others are refused in private in time', async () => {
  const models = scriptedModels({
    sages: { ben: [...Array(5).fill(hang), answer('Here I am.')] },
  });
  // Discord's 3 s are 9 s here, so that a busy machine is not taken for a slow bot; an answer for
  // which the client waits because of a limit of its own is late all the same.
  const begun = Date.now();
  const clock = adjustableClock(() => begun + Math.floor((Date.now() - begun) / 3));
  await using council = await startCouncil(models, { ...unhurried, clock });
  const { discord, guild, channel, ada } = council;
  const asked = Array.from({ length: 500 }, (_, count) => ask(council, `Ben: question ${count}?`));
  await discord.until(
    () => asked.every(({ acknowledgement }) => acknowledgement !== undefined),
    'an answer to each',
  );
  const refused = asked.filter(
    ({ acknowledgement }) => acknowledgement?.kind === 'message' && acknowledgement.isEphemeral,
  );
  expect(refused).toHaveLength(495);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(5);
  await discord.until(() => discord.threads(channel.id).length === 5, 'the threads');
  expect(await turnsOf(council)).toBe(5);
  const eve = discord.addMember(guild, 'Eve');
  expect(ada.id).not.toBe(eve.id);
  ask({ discord, channel, ada: eve }, 'Ben: are you there?');
  await discord.until(
    () =>
      discord
        .threads(channel.id)
        .some(({ id }) => discord.messages(id).some(({ wire }) => wire.content === 'Here I am.')),
    'an answer to somebody else',
  );
  expect(council.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expectNobodyPinged(discord);
});
