/** What a person may mean while they type the id of a turn or of a memory. */

import type { Person, Place } from '../../../commands/command.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import { isSameChannel } from '../../domain/thread-id.ts';
import { agoInWords, firstSentences } from '../../domain/words.ts';
import type { Suggestion } from '../../platforms/platform.ts';
import { readQuestions, recentScope } from '../asking/recent-questions.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { turnIn } from '../places/turns-of-place.ts';
import { councilMemoryFor } from './council-memory.ts';

const most = 25;
/** Of a thread; the person's own last questions come besides. */
const mostOfThread = 10;
const longestText = 60;

/** Turns of this thread, and those that the person has asked in this channel, the newest first. */
export async function suggestTurns(
  place: Place,
  person: Person,
  typed: string,
  { store: { turns, settings }, now }: Pick<BotParts, 'store' | 'now'>,
): Promise<readonly Suggestion[]> {
  const [headers, [recent = {}]] = await Promise.all([
    turns.list(place.threadId, { limit: mostOfThread }),
    settings.read([recentScope(place, person.id)]),
  ]);
  const own = (await readQuestions(recent, turns)).filter(({ threadId }) =>
    isSameChannel(threadId, place.threadId),
  );
  const ids = new Set([...headers, ...own].map(({ turnId }) => turnId));
  const records = await Promise.all(Array.from(ids, (turnId) => turnIn(turns, place, turnId)));
  const asked = records.flatMap((record) => (record ? [readPastTurn(record).request] : []));
  const suggested = asked
    .toSorted((one, other) => other.askedAt - one.askedAt)
    .map(({ turnId, question, askedAt }) => ({
      label: `${firstSentences(question, longestText)} (${agoInWords(now() - askedAt)})`,
      value: turnId,
    }));
  return fitting(suggested, typed);
}

/** What is remembered here, as far as the person may see it, the newest first. */
export async function suggestMemories(
  place: Place,
  person: Person,
  typed: string,
  parts: BotParts,
): Promise<readonly Suggestion[]> {
  const { channel } = await readChannel(parts, place.threadId);
  const remembered = councilMemoryFor({ place, person, channel }, parts);
  const { items } = await remembered.newest({ skip: 0, count: most });
  const suggested = items.map(({ id, by, text, at }) => ({
    label: `${by ?? 'Summary'}: ${firstSentences(text, longestText)} (${agoInWords(parts.now() - at)})`,
    value: id,
  }));
  return fitting(suggested, typed);
}

/** The councils that were saved here, by name. */
export async function suggestPresets(
  place: Place,
  _person: Person,
  typed: string,
  parts: BotParts,
): Promise<readonly Suggestion[]> {
  const { channel } = await readChannel(parts, place.threadId);
  const suggested = channel.presets.map(({ key, description }) => {
    return { label: `${key}: ${description}`, value: key };
  });
  return fitting(suggested, typed);
}

function fitting(all: readonly Suggestion[], typed: string): readonly Suggestion[] {
  const wanted = typed.trim().toLowerCase();
  return all
    .filter(({ label, value }) => `${label} ${value}`.toLowerCase().includes(wanted))
    .slice(0, most);
}
