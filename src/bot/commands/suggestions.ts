/** Suggests ids of turns and memories, and presets, while people type and after an unknown id. */

import {
  type Person,
  type Place,
  type Reply,
  refusal,
  type UnknownIdError,
} from '../../../commands/command.ts';
import type { MemoryItem } from '../../../commands/context.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { agoInWords, firstSentences } from '../../domain/words.ts';
import { maxPins } from '../../memory/pins.ts';
import { byTime } from '../../memory/recall/retrieval/threads.ts';
import type { Invocation, Suggestion } from '../../platforms/platform.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { turnIn } from '../places/turns-of-place.ts';
import { councilMemoryFor } from './council-memory.ts';
import { placeMemory } from './place-memory.ts';

/** Their records are read as the person types. */
const maxTurns = 15;
const maxMemories = 25;
const maxLabelChars = 60;
/** Buttons in a reply. */
const maxOffered = 5;

type Suggest = (
  place: Place,
  person: Person,
  typed: string,
  parts: BotParts,
) => Promise<readonly Suggestion[]>;

/** The latest remembered turns of this channel, newest first. */
export const suggestTurns: Suggest = async (place, _, typed, { store: { turns }, memory, now }) => {
  const { threadId, isPrivate, isPrivateThread } = place;
  const scope = { threadId, reach: 'channel' } as const;
  const remembered = await memory.recollection.all({ scope, isPrivate, isPrivateThread });
  const newest = remembered.toSorted((one, other) => byTime(other, one));
  const ids = [...new Set(newest.flatMap(({ turnId = [] }) => turnId))].slice(0, maxTurns);
  const records = await Promise.all(ids.map((turnId) => turnIn(turns, place, turnId)));
  const asked = records.flatMap((record) => (record ? [readPastTurn(record).request] : []));
  const suggested = asked.map(({ turnId, question, askedAt }) => ({
    label: `${firstSentences(question, maxLabelChars)} (${agoInWords(now() - askedAt)})`,
    value: turnId,
  }));
  return matching(suggested, typed);
};

/** The memories that the person may see here, newest first. */
export const suggestMemories: Suggest = async (place, person, typed, parts) => {
  const { channel } = await readChannel(parts, place.threadId);
  const remembered = councilMemoryFor({ place, person, channel }, parts);
  const { items } = await remembered.newest({ skip: 0, count: maxMemories });
  return matching(memoryLabels(items, parts), typed);
};

/** The memories that are pinned here, as far as the person may see them. */
const pinnedMemories: Suggest = async (place, person, _, parts) => {
  const { channel } = await readChannel(parts, place.threadId);
  const remembered = placeMemory({ place, person, channel }, parts);
  const pinned = await remembered.pinned();
  return memoryLabels(await remembered.shown([...pinned.values()]), parts);
};

function memoryLabels(items: readonly MemoryItem[], { now }: BotParts): readonly Suggestion[] {
  return items.map(({ id, by, text, at }) => ({
    label: `${by ?? 'Summary'}: ${firstSentences(text, maxLabelChars)} (${agoInWords(now() - at)})`,
    value: id,
  }));
}

/** The presets of this channel, by name. */
export const suggestPresets: Suggest = async (place, _, typed, parts) => {
  const { channel } = await readChannel(parts, place.threadId);
  const suggested = channel.presets.map(({ key, description }) => {
    return { label: `${key}: ${description}`, value: key };
  });
  return matching(suggested, typed);
};

function matching(all: readonly Suggestion[], typed: string): readonly Suggestion[] {
  const wanted = typed.trim().toLowerCase();
  return all.filter(({ label, value }) => `${label} ${value}`.toLowerCase().includes(wanted));
}

/** Refuses an unknown id and offers the same command with the latest ids, or with those it can be for. Never throws. */
export async function offerIds(
  { of, message }: UnknownIdError,
  { place, person, command, options: { confirm: _, ...options } }: Invocation,
  parts: BotParts,
): Promise<Reply> {
  const refused = refusal(message);
  // Few turns can be stopped, and few memories edited: the latest may not be among them.
  if (command === 'stop' || options.do === 'edit') return refused;
  const isPinned = options.do === 'unpin';
  const suggestMemory = isPinned ? pinnedMemories : suggestMemories;
  const suggest = of === 'turn' ? suggestTurns : suggestMemory;
  try {
    const found = await suggest(place, person, '', parts);
    const choices = found.slice(0, isPinned ? maxPins : maxOffered).flatMap(({ label, value }) => {
      const named =
        command === 'memory' ? { what: of === 'turn' ? `turn ${value}` : value } : { turn: value };
      const line = commandLine(command, { ...options, ...named });
      return line === undefined ? [] : [{ label, command: line }];
    });
    if (choices.length === 0) return refused;
    const which = isPinned ? 'These are pinned.' : 'These are the latest ones.';
    const offer = { type: 'text', text: `${which} Choose one:` } as const;
    return { ...refused, blocks: [...refused.blocks, offer, { type: 'choices', choices }] };
  } catch (error) {
    parts.log.warn({ error }, 'no ids could be offered: the store failed');
    return refused;
  }
}

/**
 * Formats a command line.
 *
 * @param options - By name. `undefined` values are left out.
 * @returns `undefined` if a value contains every kind of quotation marks and can't be quoted.
 */
export function commandLine(
  name: string,
  options: Readonly<Record<string, unknown>>,
): string | undefined {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const words = given.map(([option, value]) => {
    const text = String(value);
    const quoted = /^[\w:.-]+$/.test(text) ? text : quote(text);
    return quoted && `--${option} ${quoted}`;
  });
  return words.includes(undefined) ? undefined : [name, ...words].join(' ');
}

function quote(text: string): string | undefined {
  if (!text.includes('"')) return `"${text}"`;
  return text.includes('”') ? undefined : `“${text}”`;
}
