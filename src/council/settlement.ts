/** Holds what the chair rules on the docket against what the parties said and how all voted. */

import { type Docket, heldStances, isOpen, type Round } from '../domain/docket.ts';
import type { Ranking, Settlement } from '../domain/turn.ts';
import { listed, oneLine } from '../domain/words.ts';
import type { Rulings } from './prompts/round-prompts.ts';

type Stances = Docket['contradictions'][number]['stances'];
type NameOf = (sage: string) => string;

/**
 * Says what became of each contradiction and each unique point.
 *
 * A contradiction is settled where at most one stance is still held, whatever the chair thinks of it: a
 * change that names no flaw was counted as held, and a sage that was not asked again still holds. Where the
 * chair decides what the parties did not settle, or follows a side that the ballots put behind another, a
 * caveat says so. The chair may be right: one that stands alone at times is.
 *
 * @param rulings - Absent where the chair failed.
 * @param nameOf - The name of a sage by its key.
 */
export function settle(
  { docket, rebuttals }: Round,
  rulings: Rulings | undefined,
  ranking: Ranking | undefined,
  nameOf: NameOf,
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
        ? [
            `The chair decides “${topic}”, and ${listed(names, names.length)} still hold different views on it.`,
          ]
        : []),
      ...behind(ruling?.follows ?? '', stances, ranking, nameOf).map(
        (why) => `On “${topic}” ${why}`,
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

/** That the side which the chair follows came in behind another; nothing where it did not, or is not named. */
function behind(
  follows: string,
  stances: Stances,
  ranking: Ranking | undefined,
  nameOf: NameOf,
): readonly string[] {
  const followed = stances.find(({ sage }) => isNamed(follows, nameOf(sage)));
  if (!followed || !ranking) return [];
  const placeOf = ({ sage }: { readonly sage: string }) =>
    ranking.places.find((place) => place.sage === sage)?.position ?? Number.POSITIVE_INFINITY;
  const [best] = stances.toSorted((one, other) => placeOf(one) - placeOf(other));
  const onItsSide = stances.filter(({ stance }) => stance === followed.stance).map(placeOf);
  if (!best || placeOf(best) >= Math.min(...onItsSide)) return [];
  return [
    `the verdict follows ${nameOf(followed.sage)}; the ballots put ${nameOf(best.sage)} ahead.`,
  ];
}

/** The chair writes names as it likes: whole, or in part. */
function isNamed(said: string, name: string): boolean {
  const words = oneLine(said).toLowerCase();
  return words !== '' && name.toLowerCase().includes(words);
}
