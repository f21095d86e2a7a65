/** The last questions of a thread with their answers or verdicts as prompt messages, in short or verbatim. */

import type { z } from 'zod';
import { fence } from '../../domain/fence.ts';
import { anyAnswerSchema, questionContentSchema } from '../../domain/stored-turn.ts';
import { verdictSchema } from '../../domain/turn.ts';
import { oneLine } from '../../domain/words.ts';
import type { ChatMessage, EarlierMessage } from '../../models/chat-model.ts';
import type { Interaction, Message, MessageStore } from '../../store/store.ts';
import { chair, type Said } from '../summaries/coverage.ts';
import { dayIn, type Situation } from './situation.ts';

/** The form in which prompts show answers. */
export type AnswerForm = 'summaries' | 'full';

/** A question as prompt messages, with its answers for the sages and with its verdict for the chair. */
export interface Exchange {
  /** The question's id. */
  readonly id: string;
  readonly interaction: Interaction;
  readonly forSages: readonly EarlierMessage[];
  /** A shorter alternative to `forSages`, with each answer's summary and without the verdict. */
  readonly inShort: readonly EarlierMessage[];
  /** With the verdict, or with the answers in short if there is none. */
  readonly forChair: readonly EarlierMessage[];
  /** With the verdict alone, if there is one: answers and the minority report would tell how each sage thinks. */
  readonly forReviewers: readonly ChatMessage[];
}

const questionContent = questionContentSchema.pick({ text: true });
const answerContent = anyAnswerSchema
  .pick({ answer: true, summary: true, status: true })
  .partial({ answer: true });
const verdictContent = verdictSchema.pick({ verdict: true, unsettled: true }).extend({
  kind: verdictSchema.shape.kind.extract(['synthesis']),
  minorityReport: verdictSchema.shape.minorityReport.default(''),
});

/** How far back to look for answered questions; the most that a store reads at once. */
const furthest = 50;

/**
 * The last questions of a thread, oldest first. Questions that got no answer, e.g. while a provider was down, don't
 * take the places of answered ones, except the very last question, unless it is asked once more. Nor do those that
 * the chair answered alone: “shorter, please” must not push away what is to be shorter.
 *
 * @param asked - The question that is asked now.
 * @param options - See {@link MessageStore.recent}.
 */
export async function lastQuestions(
  messages: MessageStore,
  threadId: string,
  asked: string,
  options: Parameters<MessageStore['recent']>[1],
): Promise<readonly Interaction[]> {
  const { limit } = options;
  const isPlaced = (one: Interaction) => isAnswered(one) && !isOfChairAlone(one);
  const isOther = (one: Interaction) => isAnswered(one) || questionText(one.question) !== asked;
  const recent = await messages.recent(threadId, options);
  if (recent.length < limit || recent.every(isPlaced)) return recent.filter(isOther);
  const further = await messages.recent(threadId, { ...options, limit: furthest });
  const last = further.at(-1);
  const kept = further.filter((one) => isAnswered(one) || (one === last && isOther(one)));
  return lastPlaces(kept, limit);
}

/** The last questions, up to a number of those that take a place. */
export function lastPlaces(some: readonly Interaction[], places: number): readonly Interaction[] {
  if (places === 0) return [];
  const placed = some.filter((one) => !isOfChairAlone(one));
  const first = placed.at(-places);
  return first ? some.slice(some.indexOf(first)) : some;
}

/** Such a question leans on what was said before it. */
export function isOfChairAlone({ answers, verdict }: Interaction): boolean {
  return answers.length === 0 && verdict !== undefined;
}

/** What people only said, in an imported conversation, needs no answer. */
function isAnswered({ turnId, answers, verdict }: Interaction): boolean {
  const isSaid = (answer: Message) => answerTexts(answer).short !== '';
  return turnId === undefined || verdict !== undefined || answers.some(isSaid);
}

/**
 * Leaves out failed answers and stand-ins for a verdict.
 *
 * @param isVerdictTold - Sages read the verdict, too.
 * @param now - When and where the next question is asked. The day of this one is told unless it is the same.
 */
export function exchangeOf(
  interaction: Interaction,
  form: AnswerForm,
  isVerdictTold: boolean,
  now: Pick<Situation, 'at' | 'timeZone'>,
): Exchange {
  const day = dayIn(now.timeZone, interaction.question.createdAt);
  const on = day === dayIn(now.timeZone, now.at) ? {} : { on: day };
  const told = (replies: readonly EarlierMessage[]) => asMessages(interaction, on, replies);
  const inShort = told(answersOf(interaction, 'summaries'));
  const verdict = verdictOf(interaction);
  const ruling = verdictText(interaction.verdict);
  return {
    id: interaction.question.id,
    interaction,
    inShort,
    forSages: told([...answersOf(interaction, form), ...(isVerdictTold ? verdict : [])]),
    forChair: verdict.length === 0 ? inShort : told(verdict),
    forReviewers: told(
      ruling === undefined ? [] : [{ role: 'user', content: fence('verdict', ruling) }],
    ),
  };
}

/**
 * Everything said in an interaction, in order: the question, the full answers, and the verdict if there is one.
 *
 * @param nameOf - Returns a sage's name for its key.
 */
export function saidIn(
  { question, answers, verdict }: Interaction,
  nameOf: (sage: string) => string,
): readonly Said[] {
  const { author: by = 'someone', createdAt: askedAt } = question;
  const concluded = verdictContent.safeParse(verdict);
  const said: readonly Said[] = [
    { by, kind: 'question', text: questionText(question), askedAt },
    ...answers.map((answer): Said => {
      const { whole, short } = answerTexts(answer);
      const by = answer.sage === undefined ? 'a sage' : nameOf(answer.sage);
      const text = short === '' ? '' : (whole ?? short);
      return { by, kind: 'answer', text, gist: short };
    }),
    ...(concluded.success ? [verdictSaid(concluded.data)] : []),
  ];
  return said.filter(({ text }) => text.trim() !== '');
}

function verdictSaid(content: z.infer<typeof verdictContent>): Said {
  return {
    by: chair,
    kind: 'verdict',
    text: wholeVerdict(content),
    ruling: content.verdict,
    open: content.unsettled.map(oneLine),
  };
}

/** A verdict with what people read below it and may come back to: its open points and the minority report. */
function wholeVerdict({
  verdict,
  unsettled,
  minorityReport,
}: z.infer<typeof verdictContent>): string {
  const open = unsettled.map((one) => `- ${oneLine(one)}`);
  return [
    verdict,
    ...(open.length > 0 ? [['Still open:', ...open].join('\n')] : []),
    ...(minorityReport === '' ? [] : [`Minority report: ${oneLine(minorityReport)}`]),
  ].join('\n\n');
}

/** Closes remembered messages, so that a question can follow. */
export const remembered: ChatMessage = { role: 'assistant', content: '(Remembered.)' };

/** A question followed by its replies, or by a note why there are none: a turn that goes deeper has a verdict alone. */
function asMessages(
  { question, verdict }: Interaction,
  on: { readonly on?: string },
  replies: readonly EarlierMessage[],
): readonly EarlierMessage[] {
  const from = question.author ?? 'someone';
  const asked = fence('question', questionText(question), { from, ...on });
  if (replies.length > 0) return [{ role: 'user', content: asked }, ...replies];
  const note = verdict === undefined ? 'No answer was kept.' : 'Its answers are not repeated here.';
  return [{ role: 'user', content: `${asked}\n(${note})` }];
}

function answersOf(interaction: Interaction, form: AnswerForm): readonly EarlierMessage[] {
  return interaction.answers.flatMap((answer): readonly EarlierMessage[] => {
    const { whole, short } = answerTexts(answer);
    const kind = form === 'full' && whole !== undefined ? 'answer' : 'summary';
    const text = kind === 'answer' ? whole : short;
    const { sage = 'sage' } = answer;
    return text ? [{ role: 'assistant', content: fence(kind, text, { sage }), by: sage }] : [];
  });
}

function verdictOf({ verdict }: Interaction): readonly EarlierMessage[] {
  const { data } = verdictContent.safeParse(verdict);
  if (!data) return [];
  return [{ role: 'assistant', content: fence('verdict', wholeVerdict(data)), by: 'chair' }];
}

/** The text of a stored verdict; `undefined` without one, and for what stood in for it. */
export function verdictText(verdict: Interaction['verdict']): string | undefined {
  return verdictContent.safeParse(verdict).data?.verdict;
}

function questionText(message: Message): string {
  const content = questionContent.safeParse(message.content);
  return content.success ? content.data.text : JSON.stringify(message.content);
}

/** For a message of unknown shape, its content as text; empty for a failed answer. */
export function answerTexts(message: Message): { readonly whole?: string; readonly short: string } {
  const content = answerContent.safeParse(message.content);
  if (!content.success) return { short: questionText(message) };
  const { answer, summary, status } = content.data;
  if (status === 'failed') return { short: '' };
  return { ...(answer !== undefined && { whole: answer }), short: summary };
}
