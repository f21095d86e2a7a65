/**
 * A decision record as a model has to write it. The model never says who said something: it gives the
 * number of what was said, and the name is taken from there.
 */

import { z } from 'zod';
import type { Language } from '../recall/retrieval/language.ts';
import { restsOn } from '../summaries/coverage.ts';
import { namedIn } from '../summaries/passages.ts';
import type { Spoken } from './discussion.ts';

const sentence = z.string().trim().min(1).max(1500);
const number = z.int().min(0);

const writtenSchema = z.object({
  question: sentence,
  options: z.array(sentence).max(20),
  positions: z.array(z.object({ said: number, position: sentence })).max(60),
  decision: z.object({
    status: z.enum(['none', 'recommended', 'decided']),
    text: z.string().trim().max(1500),
    said: number,
  }),
  rationale: z.string().trim().max(3000),
  dissent: z.array(z.object({ said: number, text: sentence })).max(30),
  open_questions: z.array(sentence).max(30),
  actions: z.array(z.object({ action: sentence, owner: z.string().trim(), said: number })).max(30),
});
export type WrittenRecord = z.infer<typeof writtenSchema>;

/** Which kind of message settles what: the chair recommends, members decide, a sage does neither. */
const settledBy = { recommended: 'verdict', decided: 'question' } as const;

/**
 * The shape of a record of this discussion. What it claims has to be found where it says so.
 *
 * @returns A schema whose complaints tell a model what to mend.
 */
export function recordShape(said: readonly Spoken[], language: Language) {
  const spoken = new Map(said.map((one) => [one.number, one]));
  const isNamed = namedIn(said.map(({ by, text }) => `${by}\n${text}`).join('\n'));
  const complaintsAbout = (record: WrittenRecord): readonly string[] => [
    ...citations(record)
      .filter((cited) => !spoken.has(cited))
      .map(
        (cited) => `Nothing was said under the number ${cited}: give one of 1 to ${said.length}.`,
      ),
    ...record.positions
      .filter(({ said: cited }) => spoken.has(cited) && spoken.get(cited)?.kind !== 'answer')
      .map(({ said: cited }) => `${cited} is not what a sage said: positions are those of sages.`),
    ...sagesWithoutPosition(record, said).map((name) => `positions: the sage ${name} is missing.`),
    ...complaintsAboutDecision(record, spoken, language),
    ...record.actions
      .filter(({ owner }) => !isNamed(owner))
      .map(({ owner }) => `The owner “${owner}” is not in the discussion: leave it empty.`),
  ];
  const schema = writtenSchema.superRefine((record, context) => {
    for (const message of complaintsAbout(record)) context.addIssue({ code: 'custom', message });
  });
  return { name: 'decision_record', schema };
}

function citations({ positions, dissent, actions, decision }: WrittenRecord): readonly number[] {
  const settled = decision.status === 'none' ? [] : [decision];
  return [...positions, ...dissent, ...actions, ...settled].map(({ said }) => said);
}

function sagesWithoutPosition(
  { positions }: WrittenRecord,
  said: readonly Spoken[],
): readonly string[] {
  const cited = new Set(positions.map((position) => position.said));
  const answers = said.filter(({ kind }) => kind === 'answer');
  const heard = new Set(answers.filter(({ number }) => cited.has(number)).map(({ by }) => by));
  return [...new Set(answers.map(({ by }) => by))].filter((by) => !heard.has(by));
}

function complaintsAboutDecision(
  { decision: { status, text, said } }: WrittenRecord,
  spoken: ReadonlyMap<number, Spoken>,
  language: Language,
): readonly string[] {
  const source = spoken.get(said);
  if (status === 'none' || !source) return [];
  if (source.kind !== settledBy[status]) {
    return [
      `decision: ${said} settles nothing. “recommended” is what a verdict says, “decided” what a member says was decided; if there is neither, the status is “none”.`,
    ];
  }
  return restsOn(text, source.text, language)
    ? []
    : [`decision: that is not what ${said} says. Use its own words.`];
}
