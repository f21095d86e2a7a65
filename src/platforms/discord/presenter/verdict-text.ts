/** The verdict and the ranking as Markdown of Discord. What models wrote is made inert here. */

import type { Ranking, Review, Verdict } from '../../../council/events.ts';
import { discordMarkdown, inertDiscordName, inertDiscordText } from '../../text/discord-text.ts';
import type { Persona } from './persona.ts';

type Personas = ReadonlyMap<string, Persona>;

/** Markdown of the whole verdict; longer than one message may be. */
export function verdictMarkdown(verdict: Verdict, personas: Personas): string {
  const isSynthesis = verdict.kind === 'synthesis';
  const minority = verdict.minorityReport.trim();
  const dissent = verdict.dissent.map(
    ({ sage, shown, summary }) => `${nameOf(sage, personas)}: ${shown} ${summary}`,
  );
  return [
    isSynthesis ? '## Verdict' : '## Top-ranked answer, not a verdict',
    ...(verdict.notice ? [`> ${oneLine(verdict.notice)}`] : []),
    discordMarkdown(verdict.verdict).trim(),
    ...section('Consensus', verdict.consensus),
    ...section('Disagreements', verdict.disagreements),
    ...(minority === '' ? [] : [`### Minority report\n${discordMarkdown(minority)}`]),
    ...section('Dissent', dissent),
    ...(verdict.confidence ? [`-# Confidence: ${verdict.confidence}`] : []),
  ].join('\n\n');
}

function section(heading: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  return [`### ${heading}\n${items.map((item) => `- ${oneLine(item)}`).join('\n')}`];
}

/** Markdown of the ranking, best first, with what it is worth. */
export function rankingMarkdown(
  { ranking, sameModel }: { readonly ranking: Ranking; readonly sameModel: boolean },
  reviews: readonly Review[],
  personas: Personas,
): string {
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const rows = ranking.places.map(
    ({ sage, position, score, votes }) =>
      `${position}\\. **${nameOf(sage, personas)}**: ${Math.round(score * 100)} % of comparisons won, ${counted(votes, 'vote')}`,
  );
  const notes = reviews.flatMap(({ reviewer, ballot, failure }) => {
    const name = nameOf(reviewer, personas);
    if (failure) return [`-# No review by ${name}: ${oneLine(failure.explanation)}`];
    if (ballot.status === 'ranked') return [];
    return [`-# The review by ${name} counts as no vote: ${oneLine(ballot.reason)}`];
  });
  return [
    `### Ranking by ${counted(ballots, 'blind ballot')}`,
    ...rows,
    ...notes,
    ...(sameModel
      ? ['-# One model spoke for all of them, so their agreement is weak evidence.']
      : []),
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Name of a sage, to stand in Markdown. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.nameInText ?? inertDiscordName(sage);
}

/** Inert, and without anything that would begin a line of its own. */
export function oneLine(text: string): string {
  return inertDiscordText(text).replace(/\s+/g, ' ').trim();
}
