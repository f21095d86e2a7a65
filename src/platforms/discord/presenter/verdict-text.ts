/** The verdict and the ranking as Markdown of Discord. What models wrote is made inert here. */

import type { Ranking, Review, TurnEnd, Verdict } from '../../../council/events.ts';
import { rankingWords } from '../../chat/show/ranking-words.ts';
import { verdictMarkdown as plainVerdict, verdictTitle } from '../../chat/text/verdict-markdown.ts';
import { discordMarkdown, inertDiscordName, inertDiscordText } from '../text/discord-text.ts';
import type { Persona } from './persona.ts';

type Personas = ReadonlyMap<string, Persona>;

/** Markdown of the whole verdict; longer than one message may be. */
export function verdictMarkdown(verdict: Verdict, personas: Personas): string {
  return [
    `## ${verdictTitle(verdict)}`,
    plainVerdict(verdict, {
      inert: inertDiscordText,
      inertBody: discordMarkdown,
      nameOf: (sage) => nameOf(sage, personas),
    }),
    ...(verdict.confidence ? [`-# Confidence: ${verdict.confidence}`] : []),
  ].join('\n\n');
}

/** Markdown of the ranking, best first, with what it is worth. */
export function rankingMarkdown(
  ranked: { readonly ranking: Ranking; readonly sameModel: boolean },
  reviews: readonly Review[],
  personas: Personas,
): string {
  const { title, rows, notes } = rankingWords(ranked, reviews, {
    nameOf: (sage) => nameOf(sage, personas),
    inert: oneLine,
  });
  return [
    `### ${title}`,
    ...rows.map(({ position, name, words }) => `${position}\\. **${name}**: ${words}`),
    ...notes.map((note) => `-# ${note}`),
  ].join('\n');
}

/** Markdown of an end that nobody answered, for where the card is not. */
export function endMarkdown({ outcome, explanation }: TurnEnd): string {
  const text = oneLine(explanation);
  return outcome === 'stopped' ? `⏹️ ${text}` : `⚠️ The council could not answer. ${text}`;
}

/** Name of a sage, to stand in Markdown. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.nameInText ?? inertDiscordName(sage);
}

/** Inert, and without anything that would begin a line of its own. */
export function oneLine(text: string): string {
  return inertDiscordText(text).replace(/\s+/g, ' ').trim();
}
