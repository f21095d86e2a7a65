/** The docket lists where the answers contradict each other. It decides whether there is a rebuttal, and is settled after it. */

import { type Docket, heldStances, isOpen, type Round } from '../domain/docket.ts';
import type { TurnWords } from '../domain/languages/english.ts';
import { listedIn } from '../domain/languages/languages.ts';
import { keptReasoning, type Ranking, type SageAnswer, type Settlement } from '../domain/turn.ts';
import { oneLine, shortened } from '../domain/words.ts';
import type { StepInput } from './council.ts';
import { askInTime } from './cutoff.ts';
import {
  docketMessages,
  docketShape,
  type Rulings,
  type WrittenDocket,
} from './prompts/round-prompts.ts';
import { type Labelled, labelled } from './review.ts';

const most = { contradictions: 2, consensus: 3, unique: 4, blindSpots: 2 } as const;

/**
 * Has the chair's model list the contradictions between the answers.
 *
 * @param input.answers - Two or more, as others see them.
 * @returns The checked docket; a failure is a field of it. Throws only when the turn was stopped.
 */
export async function drawUpDocket(
  input: StepInput & { readonly answers: readonly SageAnswer[] },
): Promise<Docket> {
  const { request, council, context, models, signal } = input;
  const startedAt = Date.now();
  const answers = labelled(input.answers, `${request.turnId}\ndocket`);
  const reply = await askInTime(
    models.chair,
    {
      messages: docketMessages(request.question, answers, council, context),
      stage: 'docket',
      signal,
      who: 'The docket',
      timeoutMs: council.limits.reviewTimeoutMs,
    },
    docketShape,
  );
  const ended = { by: models.chair.id, latencyMs: Date.now() - startedAt };
  if (reply.status === 'failed') {
    const { reason, explanation } = reply;
    return { ...empty, ...ended, failure: { reason, explanation } };
  }
  const { by = models.chair.id, reasoning } = reply.reply;
  const kept = { ...ended, by, ...keptReasoning(reasoning) };
  if (reply.status === 'shaped') return { ...checkedDocket(reply.value, answers), ...kept };
  const explanation = 'The model did not reply in the agreed form.';
  return { ...empty, ...kept, failure: { reason: 'empty', explanation } };
}

const empty = {
  consensus: [],
  contradictions: [],
  unique: [],
  blindSpots: [],
  droppedQuotes: 0,
};

/**
 * Drops from a docket the stances whose quote isn't in the answer, the contradictions left with fewer than two
 * stances, and unknown labels.
 */
function checkedDocket(
  written: WrittenDocket,
  answers: readonly Labelled[],
): Omit<Docket, 'by' | 'latencyMs'> {
  const answerOf = (label: string) => answers.find((one) => one.label === bareLabel(label))?.of;
  let droppedQuotes = 0;
  const contradictions = written.contradictions.flatMap(({ topic, stances }) => {
    const seen = new Set<string>();
    /** Models write the same stance with and without its period. */
    const spelled = new Map<string, string>();
    const checked = stances.flatMap(({ label, stance, quote }) => {
      const answer = answerOf(label);
      if (!answer || !isQuoted(quote, answer.answer)) {
        droppedQuotes += 1;
        return [];
      }
      if (seen.has(answer.sage)) return [];
      seen.add(answer.sage);
      const bare = oneLine(stance).toLowerCase().replace(/\.$/, '');
      const side = spelled.get(bare) ?? brief(stance);
      spelled.set(bare, side);
      return [{ sage: answer.sage, stance: side, quote: brief(quote.replace(boldMark, '')) }];
    });
    const sides = new Set(checked.map(({ stance }) => stance));
    return sides.size > 1 ? [{ topic: brief(topic), stances: checked }] : [];
  });
  const unique = written.unique.flatMap(({ label, point }) => {
    const sage = answerOf(label)?.sage;
    return sage === undefined || point.trim() === '' ? [] : [{ sage, point: brief(point) }];
  });
  return {
    consensus: written.consensus.map(brief).slice(0, most.consensus),
    contradictions: contradictions.slice(0, most.contradictions),
    unique: unique.slice(0, most.unique),
    blindSpots: written.blind_spots.map(brief).slice(0, most.blindSpots),
    droppedQuotes,
  };
}

/** Far more than a quote of 20 words. */
const maxClaimChars = 400;

/** Puts a text on one line. Cuts it if a model ignored the length that it was asked for. */
export function brief(text: string): string {
  return shortened(oneLine(text), maxClaimChars);
}

/** The label in `Response B` or `"B"`. */
function bareLabel(label: string): string {
  return (/(\p{L}|\d+)\W*$/u.exec(label.trim())?.[1] ?? '').toUpperCase();
}

/** In a quote, one of a pair may be missing. */
const boldMark = /\*\*|__/g;

/** Fewer words can't be disputed. */
const leastQuoteWords = 3;

/**
 * Whether a text contains a quote word for word, ignoring punctuation, emphasis, case and line breaks.
 *
 * @param quote - Contiguous; fewer than three words never match.
 */
export function isQuoted(quote: string, text: string): boolean {
  const words = wordsIn(quote);
  return (
    words.length >= leastQuoteWords &&
    ` ${wordsIn(text).join(' ')} `.includes(` ${words.join(' ')} `)
  );
}

function wordsIn(text: string): readonly string[] {
  const scripts = text.normalize('NFKC').toLowerCase();
  // In scripts without spaces, each character counts as a word.
  return (
    scripts.match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+/gu,
    ) ?? []
  );
}

type Stances = Docket['contradictions'][number]['stances'];
type NameOf = (sage: string) => string;

/**
 * Determines the outcome of each contradiction and each unique point.
 *
 * A contradiction is settled when at most one stance is still held, whatever the chair says: a change that names no
 * flaw counts as held, and a sage that wasn't asked for a rebuttal still holds its stance. A caveat says when the
 * chair decides an open contradiction, or follows a side that the ballots ranked lower. The chair may still be
 * right, as a lone dissenter sometimes is.
 *
 * @param rulings - Absent if the chair failed.
 * @param nameOf - Returns a sage's name by its key.
 * @param words - Of the turn's language, for the caveats.
 */
export function settle(
  { docket, rebuttals }: Round,
  rulings: Rulings | undefined,
  ranking: Ranking | undefined,
  nameOf: NameOf,
  words: TurnWords,
): Settlement {
  const positionOf = (key: string) =>
    rebuttals.find(({ sage }) => sage === key)?.position ?? 'held';
  const judged = docket.contradictions.map(({ topic, stances }, index) => {
    const ruling = rulings?.contradictions.find(({ number }) => number === index + 1);
    const sides = stances.map(({ sage, stance }) => ({ sage, stance, position: positionOf(sage) }));
    const holding = heldStances({ stances }, rebuttals);
    const staysOpen = isOpen(holding);
    const names = holding.map(({ sage }) => nameOf(sage));
    const caveats = [
      ...(staysOpen && ruling?.settled
        ? [words.decidesOpen(topic, listedIn(words, names, names.length))]
        : []),
      ...rankedLower(ruling?.follows ?? '', stances, ranking, nameOf).map(({ followed, best }) =>
        words.followsLower(topic, nameOf(followed), nameOf(best)),
      ),
    ];
    const status = staysOpen ? ('open' as const) : ('settled' as const);
    return { topic, sides, status, why: oneLine(ruling?.why ?? ''), caveats };
  });
  return {
    contradictions: judged.map(({ caveats: _, ...contradiction }) => contradiction),
    unique: docket.unique.map((point, index) => {
      const ruling = rulings?.unique.find(({ number }) => number === index + 1);
      const fate = ruling ? (ruling.kept ? 'kept' : 'dropped') : 'passed_over';
      return { ...point, fate, why: oneLine(ruling?.why ?? '') } as const;
    }),
    caveats: judged.flatMap(({ caveats }) => caveats),
  };
}

/**
 * The sage that the chair follows and the one ahead of it on the ballots. Empty if its side was not ranked below
 * another, or if the chair names no sage.
 */
function rankedLower(
  follows: string,
  stances: Stances,
  ranking: Ranking | undefined,
  nameOf: NameOf,
): readonly { readonly followed: string; readonly best: string }[] {
  const followed = stances.find(({ sage }) => isNamed(follows, nameOf(sage)));
  if (!followed || !ranking) return [];
  const placeOf = ({ sage }: { readonly sage: string }) =>
    ranking.places.find((place) => place.sage === sage)?.position ?? Number.POSITIVE_INFINITY;
  const [best] = stances.toSorted((one, other) => placeOf(one) - placeOf(other));
  const onItsSide = stances.filter(({ stance }) => stance === followed.stance).map(placeOf);
  if (!best || placeOf(best) >= Math.min(...onItsSide)) return [];
  return [{ followed: followed.sage, best: best.sage }];
}

/** The chair may write a name in full or in part. */
function isNamed(said: string, name: string): boolean {
  const words = oneLine(said).toLowerCase();
  return words !== '' && name.toLowerCase().includes(words);
}
