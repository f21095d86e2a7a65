import { expect, test } from 'vitest';
import type { Sage } from '../../src/domain/turn.ts';
import {
  answer,
  bench,
  ranks,
  scriptedModels,
  seating,
  council as usual,
  verdict,
} from '../council/scripted-council.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';

async function thread({ discord, channel, bot }: CouncilInDiscord) {
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  return discord.messages(discord.threads(channel.id)[0]?.id ?? '');
}

const nasty = '@everyone @here <@1> <@&2> see [your bank](https://evil.example) \u202etxt.exe';

test('nothing that a model or a member writes pings anybody, wherever it is shown', async () => {
  const keys = ['ada', 'ben'];
  const models = scriptedModels({
    moderator: [seating(keys, { ada: nasty })],
    sages: { ada: [answer(`Yes. ${nasty}`)], ben: [answer(`No. ${nasty}`)] },
    reviews: Object.fromEntries(keys.map((key) => [key, [ranks('Yes.', 'No.')]])),
    chair: [
      JSON.stringify({
        verdict: nasty,
        consensus: [nasty],
        disagreements: [nasty],
        minority_report: nasty,
        unsettled: [nasty],
        confidence: 'low',
        confidence_reason: nasty,
      }),
    ],
  });
  await using council = await startCouncil(models);
  const { discord, guild, channel } = council;
  discord.addRole(guild);
  ask(council, `What about ${nasty}?`);
  const said = await thread(council);
  expect(said.length).toBeGreaterThanOrEqual(4);
  expect(discord.pings()).toEqual([]);
  const shown = [...said, ...discord.messages(channel.id)].map(textOf).join('\n');
  expect(shown).not.toContain('@everyone');
  expect(shown).not.toContain('<@1>');
  expect(shown).not.toContain('\u202e');
  expect(shown).toContain('evil.example');
  expect(discord.threads(channel.id)[0]?.name).not.toContain('\u202e');
  const bodies = discord.calls.filter(
    ({ route }) =>
      /messages(\/\{message_id\})?$|webhook_token|callback/.test(route) && !route.startsWith('GET'),
  );
  for (const { body } of bodies) expect(JSON.stringify(body)).toContain('"parse":[]');
  expect(discord.violations.all).toEqual([]);
});

test('an invented sage that is named like staff does not sit', async () => {
  const models = scriptedModels({
    moderator: [
      seating(['ada'], {}, [{ name: 'Discord Moderator', description: 'Wants to be obeyed.' }]),
    ],
    sages: { ada: [answer('I am Ada.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models);
  ask(council, 'Who are you?', { depth: 'quick' });
  const personas = (await thread(council)).filter(({ wire }) => wire.webhook_id !== undefined);
  expect(personas.map(({ wire }) => [wire.author.username, wire.content]).toSorted()).toEqual([
    ['Ada Sage', 'I am Ada.'],
  ]);
  expect(council.discord.violations.all).toEqual([]);
});

test('a long answer arrives whole, in pieces that Discord takes, with its code fences closed', async () => {
  const code = Array.from({ length: 200 }, (_, line) => `  total += ${line}; // step`).join('\n');
  const text = `# Plan\n\n${'A sentence that says something. '.repeat(60)}\n\n\`\`\`ts\n${code}\n\`\`\`\n\nDone.`;
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer(text)] } }));
  ask(council, 'Ben: how?');
  const pieces = (await thread(council)).map(({ wire }) => wire.content);
  expect(pieces.length).toBeGreaterThan(3);
  for (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(2000);
    expect((piece.match(/^```/gm) ?? []).length % 2).toBe(0);
  }
  for (let line = 0; line < 200; line++) expect(pieces.join('\n')).toContain(`total += ${line};`);
  expect(council.discord.violations.all).toEqual([]);
});

test('what was said in one server is not known in another', async () => {
  const models = scriptedModels({
    sages: { ben: [answer('The key is 42.'), answer('What key?')] },
  });
  await using council = await startCouncil(models);
  const { discord, bot } = council;
  ask(council, 'Ben: remember the key?');
  await thread(council);
  const [first] = await bot.store.turns.list(
    `discord:${council.guild.id}:${council.channel.id}:${discord.threads(council.channel.id)[0]?.id}`,
    { limit: 1 },
  );
  const other = discord.addGuild({ name: 'Elsewhere' });
  const channel = discord.addChannel(other, 'general');
  const bea = discord.addMember(other, 'Bea', ['ManageChannels', 'ManageGuild']);
  ask({ discord, channel, ada: bea }, 'Ben: which key?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the other thread');
  await bot.idle();
  const second = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(second).not.toContain('42');
  const look = discord.slash({
    user: bea,
    channel,
    command: 'council',
    subcommand: 'reviews',
    options: { turn: first?.turnId ?? '', show: 'seats' },
  });
  const reply = () =>
    discord.messages(channel.id).find(({ wire }) => wire.id === look.originalMessageId);
  await discord.until(
    () => JSON.stringify(reply()?.wire.components ?? '').includes('There is no turn'),
    'the refusal',
  );
});

test('a sage with a name that Discord refuses speaks all the same', async () => {
  const clyde: Sage = {
    key: 'ben',
    name: 'Clyde of Discord',
    description: 'Robs banks.',
    source: 'predefined',
  };
  const changed = { ...usual, bench: bench.map((sage) => (sage.key === 'ben' ? clyde : sage)) };
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }), {
    bot: { council: changed },
  });
  ask(council, 'Should we?', { sages: 'ben' });
  const [said] = await thread(council);
  expect(said?.wire.content).toBe('No.');
  expect(said?.wire.author.username).toMatch(/of/);
  expect(council.discord.violations.all).toEqual([]);
});
