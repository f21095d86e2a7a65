import { setTimeout as waitFor } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { CouncilModels } from '../../src/council/council.ts';
import type { ChatChunk, ChatRequest } from '../../src/models/chat-model.ts';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import { scriptedModels, verdict, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import * as onDiscord from '../platforms/discord/discord-world.ts';
import * as onSlack from '../platforms/slack/slack-world.ts';
import { unlimited } from '../platforms/unlimited.ts';

const german = 'Sollen wir die Maschine neu bauen?';
/** The council's own words that every turn of four sages shows in English. */
const englishWords =
  /Verdict|Consensus|Disagreements|Minority|Confidence|Sages[,:]|Ranking|ballots|answered|Receipt|Post to|Ask one|Read the|Go deeper|Why these|bars|follow-up|Stop\b/;

test('a question in German has German words around its answers on Discord', async () => {
  await using council = await onDiscord.startCouncil(scriptedModels(wholeScript));
  const { discord, channel, bot } = council;
  onDiscord.ask(council, german);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  const said = [channel.id, thread].flatMap((id) => discord.messages(id)).map(onDiscord.textOf);
  expect(said[0]).toContain(
    '**Fazit**\nRewrite it in parts.\n-# Sicherheit: mittel · Weise, nach ihren Stimmzetteln: einig',
  );
  expect(said[0]).toContain('Ada Sage · Ben Sage');
  expect(said[0]).toContain('Alles lesen');
  expect(said.at(-2)).toContain('### Rangliste (blinde Stimmzettel: 4)');
  expect(said.at(-1)).toContain('## Fazit');
  expect(said.at(-1)).toContain('### Minderheitsmeinung');
  expect(said.join('\n')).not.toMatch(englishWords);
  // The card was German from its first state on.
  const cards = discord.calls.filter(({ body }) => JSON.stringify(body ?? '').includes('⏳'));
  expect(cards.length).toBeGreaterThan(1);
  for (const { body } of cards) expect(JSON.stringify(body)).not.toMatch(englishWords);
  expect(discord.violations.all).toEqual([]);
});

test('a question in Japanese has Japanese words around its answers in Slack', async () => {
  const models = scriptedModels(wholeScript);
  await using council = await onSlack.startCouncil(models, { scopes: scopeNames });
  const { ada, channel, slack, bot } = council;
  const { thread } = await ada.mentions(channel, 'エンジンを書き直すべきですか？');
  await slack.until(() => slack.thread(channel, thread).length === 7, 'all that is said');
  await bot.idle();
  const said = slack.thread(channel, thread).map(({ text }) => text);
  expect(said[1]).toContain('回答がそろいました。 結論を読む');
  expect(said[1]).toContain('回答がそろいました。 結論を読む\nAda Sage · Ben Sage');
  expect(said.at(-1)).toContain('## 結論');
  expect(said.at(-1)).toContain('確信度：中');
  expect(said.at(-1)).toContain('ランキング（匿名投票：4票）');
  expect(said.join('\n')).not.toMatch(englishWords);
  const statuses = slack.calls.flatMap(({ method, args }) =>
    method === 'assistant.threads.setStatus' && args.status ? [String(args.status)] : [],
  );
  expect(statuses).toContain('が結論をまとめています…');
  slack.assertNoViolations();
});

test('the words of a turn stay as they are when the channel is set to another language', async () => {
  await using council = await onDiscord.startCouncil(scriptedModels(wholeScript));
  const { discord, channel, bot } = council;
  await onDiscord.setHere(council, { language: 'French' });
  onDiscord.ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  await onDiscord.setHere(council, { language: 'German' });
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  const shown = discord
    .messages(thread)
    .find((one) => onDiscord.textOf(one).includes('## Verdict'));
  if (!shown) throw new Error('There is no verdict.');
  const [, pressed = ''] = /"(council\|post\|[^"]+)"/.exec(JSON.stringify(shown.wire)) ?? [];
  discord.pressButton(council.ada, shown, pressed);
  const text = () => discord.messages(thread).map(onDiscord.textOf).join('\n');
  await discord.until(() => text().includes('Publié dans le salon.'), 'the note');
  expect(text()).toContain('### Avis minoritaire');
  const [, posted] = discord.messages(channel.id).map(onDiscord.textOf);
  expect(posted).toContain('**Verdict**');
  expect(posted).toContain('Confiance : moyenne');
  expect(posted).toContain('Tout lire');
});

test('a question below a verdict has its words, however little it tells of its language', async () => {
  const suggesting = JSON.stringify({ ...JSON.parse(verdict), next_questions: ['Womit?'] });
  const moderator = [...(wholeScript.moderator ?? []), hang];
  const models = scriptedModels({ ...wholeScript, moderator, chair: [suggesting] });
  await using council = await onDiscord.startCouncil(models);
  const { discord, channel, bot } = council;
  onDiscord.ask(council, german);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  const shown = discord.messages(thread).find((one) => onDiscord.textOf(one).includes('## Fazit'));
  if (!shown) throw new Error('There is no verdict.');
  const [, pressed = ''] = /"(council\|next\|[^"]+)"/.exec(JSON.stringify(shown.wire)) ?? [];
  discord.pressButton(council.ada, shown, pressed);
  const text = () => discord.messages(thread).map(onDiscord.textOf).join('\n');
  await discord.until(() => text().includes('stellt eine vorgeschlagene Frage.'), 'the card');
  expect(text()).toContain('⏳ Der Rat tritt zusammen.');
});

test('a verdict that was begun in Slack by an earlier process is continued, not begun again', async () => {
  const world = await onSlack.startSlackWorld({ scopes: scopeNames });
  const { slack, channel, ada } = world;
  const script = scriptedModels({ ...wholeScript, chair: [] });
  const before: CouncilModels = { ...script, chair: { ...script.chair, stream: beginVerdict } };
  const first = await onSlack.joinSlack(world, before, { pacing: unlimited });
  const { thread } = await ada.mentions(channel, german);
  const said = () => slack.thread(channel, thread).map(({ text }) => text);
  await slack.until(() => said().some((text) => text.includes('## Fazit')), 'the beginning');
  await first.bot.shutDown();
  const after = scriptedModels({ chair: [verdict] });
  const { store } = first.bot;
  await using second = await onSlack.joinSlack(world, after, { store, pacing: unlimited });
  await second.bot.idle();
  expect(said().filter((text) => text.includes('## Fazit'))).toEqual([
    expect.stringContaining('Rewrite it in parts.'),
  ]);
  slack.assertNoViolations();
});

/** The chair's reply, which stops in its second sentence. */
async function* beginVerdict({ signal }: ChatRequest): AsyncGenerator<ChatChunk> {
  yield { type: 'text', text: '{"verdict": "Rewrite it in ' };
  await waitFor(60_000, undefined, { signal });
}
