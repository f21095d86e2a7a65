/** Turns in which much is said: they stay within ten messages, and nothing is lost. */

import { expect, test } from 'vitest';
import {
  answer,
  ranks,
  type Script,
  scriptedModels,
  seating,
} from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { bitsOf } from '../fakes/discord/world/permissions.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  filesOf,
  joinWorld,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';

const keys = ['ada', 'ben', 'cleo', 'dan'] as const;

function longText(key: string, length: number): string {
  const sentences = Array.from(
    { length: length / 25 },
    (_, index) => `${key} says thing ${index}.`,
  );
  return sentences.join(' ');
}

/** Four sages that say much, review each other, and a chair that says much. */
function longScript(length: number, verdict: string): Script {
  const beginnings = keys.map((key) => longText(key, length).slice(0, 20));
  return {
    moderator: [seating([...keys])],
    sages: Object.fromEntries(keys.map((key) => [key, [answer(longText(key, length))]])),
    reviews: Object.fromEntries(keys.map((key) => [key, [ranks(...beginnings)]])),
    chair: [
      JSON.stringify({
        verdict,
        consensus: [],
        disagreements: [],
        minority_report: '',
        confidence: 'low',
      }),
    ],
  };
}

async function wholeThread(council: CouncilInDiscord) {
  const { discord, channel, ada } = council;
  discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await council.bot.idle();
  return discord.messages(discord.threads(channel.id)[0]?.id ?? '');
}

/** Posts of the bot and its webhooks, wherever. */
function posts({ discord }: Pick<CouncilInDiscord, 'discord'>): number {
  return discord.calls.filter(({ route }) => /^POST .*(\/messages|webhook_token\})$/.test(route))
    .length;
}

test.each([
  ['one message', 1500],
  ['two messages', 3000],
  ['five messages', 9000],
])(
  'a turn of four sages whose answers would each take %s makes ten posts at most, and all is there',
  async (_, length) => {
    const verdict = longText('chair', length);
    await using council = await startCouncil(scriptedModels(longScript(length, verdict)));
    const messages = await wholeThread(council);
    expect(posts(council)).toBeLessThanOrEqual(10);
    for (const key of keys) {
      const ofSage = messages.filter(({ wire }) =>
        wire.author.username.toLowerCase().startsWith(key),
      );
      const [file] = ofSage.flatMap((one) => filesOf(council.discord, one));
      const whole = file?.text ?? ofSage.map(({ wire }) => wire.content).join(' ');
      expect(whole).toBe(longText(key, length));
      expect(ofSage.length).toBeLessThanOrEqual(file ? 1 : 2);
    }
    const last = messages.at(-1);
    const [file] = last ? filesOf(council.discord, last) : [];
    expect(file?.text ?? (last && textOf(last))).toContain(verdict);
    expect(council.discord.violations.all).toEqual([]);
  },
);

test('a verdict of 340 words is one message, with as much below it as verdicts of that length had', async () => {
  const script = longScript(900, '');
  const [first = '', second = '', ...others] = keys.map((key) => longText(key, 900).slice(0, 20));
  const written = {
    verdict: longText('chair', 1950),
    consensus: [longText('all', 150)],
    disagreements: [longText('ada', 200), longText('ben', 225)],
    minority_report: longText('cleo', 325),
    unsettled: Array(3).fill(longText('open', 125)),
    confidence: 'medium',
    confidence_reason: longText('sure', 200),
  };
  const models = scriptedModels({
    ...script,
    reviews: { ...script.reviews, dan: [ranks(second, first, ...others)] },
    chair: [JSON.stringify(written)],
  });
  await using council = await startCouncil(models);
  const last = (await wholeThread(council)).at(-1);
  if (!last) throw new Error('nothing was posted');
  expect(textOf(last)).toContain('first choice of');
  expect(textOf(last)).toContain(written.verdict);
  expect(filesOf(council.discord, last)).toEqual([]);
});

test('where neither webhooks nor files are permitted, all is said in pieces', async () => {
  const verdict = longText('chair', 9000);
  await using council = await startCouncil(scriptedModels(longScript(9000, verdict)), {
    before: ({ guild }) => {
      for (const role of guild.roles.values()) {
        const denied = bitsOf(['AttachFiles', 'ManageWebhooks']);
        const kept = BigInt(role.permissions) & ~denied;
        guild.roles.set(role.id, { ...role, permissions: String(kept) });
      }
    },
  });
  const messages = await wholeThread(council);
  for (const key of keys) {
    const ofSage = messages.filter(({ wire }) => wire.content.toLowerCase().startsWith(`**${key}`));
    const said = ofSage.map(({ wire }) => wire.content.replace(/^.*\n/, '')).join(' ');
    expect(said).toBe(longText(key, 9000));
  }
  const shown = messages.map(textOf).join(' ').replace(/\s+/g, ' ');
  expect(shown).toContain(verdict);
  expect(messages.some((one) => filesOf(council.discord, one).length > 0)).toBe(false);
});

test.each([
  ['with', ['MessageContent']],
  ['without', []],
] as const)(
  'a resumed turn, %s the content intent, does not repeat an answer that went out as a file',
  async (_, privilegedIntents) => {
    await using world = await startWorld({ privilegedIntents: [...privilegedIntents] });
    const { discord, channel } = world;
    const { sages, ...script } = longScript(9000, 'In parts.');
    const cut = scriptedModels({ ...script, sages: { ...sages, dan: [hang] } });
    const first = await joinWorld(world, cut);
    ask(world, 'Should we rewrite the engine?');
    const count = () => discord.messages(discord.threads(channel.id)[0]?.id ?? '').length;
    await discord.until(() => count() === 3, 'three answers');
    await first.bot.shutDown();
    const rest = scriptedModels({
      reviews: script.reviews ?? {},
      chair: script.chair ?? [],
      sages: { dan: sages?.dan ?? [] },
    });
    await using second = await joinWorld(world, rest, { store: first.bot.store });
    await second.bot.idle();
    expect(count()).toBe(6);
  },
);
