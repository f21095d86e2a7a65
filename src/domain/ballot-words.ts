/** What a reviewer was shown, and the ranking that was read from its review. */
export interface CastBallot {
  readonly labels: readonly { readonly label: string; readonly sage: string }[];
  readonly ballot:
    | {
        readonly status: 'ranked';
        /** Tied labels together, best group first. */
        readonly groups: readonly (readonly string[])[];
        readonly partial: boolean;
      }
    | { readonly status: 'abstained'; readonly reason: string };
}

/**
 * A ballot as it was read, for people.
 *
 * @param nameOf - The name of a sage by its key.
 * @returns E.g. `Seneca (B) > Ada (A) = Ben (C); the others were not ranked`.
 */
export function ballotInWords(
  { labels, ballot }: CastBallot,
  nameOf: (sage: string) => string,
): string {
  if (ballot.status === 'abstained') return `Counts as no vote: ${ballot.reason}`;
  const behind = (label: string) => labels.find((one) => one.label === label)?.sage ?? label;
  const places = ballot.groups.map((group) =>
    group.map((label) => `${nameOf(behind(label))} (${label})`).join(' = '),
  );
  return `${places.join(' > ')}${ballot.partial ? '; the others were not ranked' : ''}`;
}

/** Where an answer came in a ranking, e.g. `83 % of comparisons won, place 1.3 on average, 3 votes`. */
export function placeInWords(place: {
  /** Share of comparisons won, 0 to 1. */
  readonly score: number;
  /** Absent where no ballot lists it. */
  readonly averagePosition?: number;
  readonly votes: number;
}): string {
  const { score, averagePosition, votes } = place;
  return [
    `${Math.round(score * 100)} % of comparisons won`,
    ...(averagePosition === undefined ? [] : [`place ${averagePosition.toFixed(1)} on average`]),
    `${votes} ${votes === 1 ? 'vote' : 'votes'}`,
  ].join(', ');
}
