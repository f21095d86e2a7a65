/** What the tests of hostile input have in common: looking at what was said, pressing what is there, forging what is not. */

import { ButtonStyle, ComponentType } from 'discord.js';
import { expect } from 'vitest';
import type { Council } from '../../../src/council/council.ts';
import type { Sage } from '../../../src/domain/turn.ts';
import { bench, council as usualCouncil } from '../../council/scripted-council.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import { type CouncilInDiscord, textOf } from '../../platforms/discord/discord-world.ts';

export type StoredMessage = ReturnType<FakeDiscord['messages']>[number];
export type Interaction = ReturnType<FakeDiscord['slash']>;

/** Waits until the first thread of a channel holds all of its turns, and gives it. */
export async function finishedThread(
  { discord, bot }: Pick<CouncilInDiscord, 'discord' | 'bot'>,
  channel: { readonly id: string },
) {
  await discord.until(() => discord.threads(channel.id).length > 0, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  return thread;
}

/** What was said under names of sages, oldest first. */
export function saidBySages(discord: FakeDiscord, threadId: string): readonly StoredMessage[] {
  return discord
    .messages(threadId)
    .filter(({ wire, onlyFor }) => wire.webhook_id !== undefined && onlyFor === undefined);
}

/** Everything that the bot shows anywhere, private answers included. */
export function shownAnywhere(discord: FakeDiscord): string {
  return [...discord.state.channels.keys()]
    .flatMap((channelId) => discord.messages(channelId))
    .filter(({ wire }) => wire.author.bot === true)
    .map((message) => [message.wire.author.username, textOf(message)].join('\n'))
    .join('\n');
}

/** Waits until an interaction has its answer, and gives it. */
export async function answerTo(
  discord: FakeDiscord,
  interaction: Interaction,
): Promise<StoredMessage> {
  const find = () =>
    discord
      .messages(interaction.channelId)
      .find(
        (message) =>
          message.wire.id === interaction.originalMessageId && textOf(message).trim() !== '',
      );
  await discord.until(() => find() !== undefined, 'the answer to an interaction');
  const answer = find();
  if (!answer) throw new Error('There is no answer.');
  return answer;
}

/** Id of something on a message that can be pressed or chosen. */
export function customIdOn(message: StoredMessage, part: string): string {
  const ids = [...JSON.stringify(message.wire.components).matchAll(/"custom_id":"([^"]+)"/g)];
  const found = ids.map(([, id = '']) => id).find((id) => id.includes(part));
  if (found === undefined) throw new Error(`Nothing on the message has “${part}”.`);
  return found;
}

/** Puts a button of someone's invention onto a message, as no client lets anybody. */
export function forgeButton(message: StoredMessage, customId: string): void {
  const button = {
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    label: 'Press',
    custom_id: customId,
  } as const;
  const row = { type: ComponentType.ActionRow as const, components: [button] };
  message.wire = { ...message.wire, components: [row] };
}

/** The usual council with other names for its sages. */
export function councilNamed(names: Readonly<Record<string, string>>): Council {
  const named = bench.map((sage): Sage => ({ ...sage, name: names[sage.key] ?? sage.name }));
  return { ...usualCouncil, bench: named };
}

/** Nothing in the fake's books: nobody pinged, nothing refused, nothing against Discord's description. */
export function expectNobodyPinged(discord: FakeDiscord): void {
  expect(discord.pings()).toEqual([]);
  expect(discord.violations.all).toEqual([]);
}
