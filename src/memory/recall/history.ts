/** The last questions of a thread with what came of them, as messages: in short for later prompts, or as they were said. */

import type { z } from 'zod';
import { fence } from '../../domain/fence.ts';
import { anyAnswerSchema, questionContentSchema } from '../../domain/stored-turn.ts';
import { verdictSchema } from '../../domain/turn.ts';
import { oneLine } from '../../domain/words.ts';
import type { ChatMessage, EarlierMessage } from '../../models/chat-model.ts';
import type { Interaction, Message } from '../../store/store.ts';
import type { Said } from '../summaries/coverage.ts';

/** What a prompt shows of an answer. */
export type AnswerForm = 'summaries' | 'full';

/** A question and what came of it, for those who read answers and for those who read verdicts. */
export interface Exchange {
  /** The question's id. */
  readonly id: string;
  readonly interaction: Interaction;
  readonly forSages: readonly EarlierMessage[];
  /** What may stand in the place of `forSages`: each answer by its summary. */
  readonly inShort: readonly EarlierMessage[];
  /** With the verdict; where there is none, with the answers in short. */
  readonly forChair: readonly EarlierMessage[];
}

const questionContent = questionContentSchema.pick({ text: true });
const answerContent = anyAnswerSchema
  .pick({ answer: true, summary: true, status: true })
  .partial({ answer: true });
const verdictContent = verdictSchema
  .pick({ verdict: true, unsettled: true })
  .extend({ kind: verdictSchema.shape.kind.extract(['synthesis']) });

/** Failed answers, and what stood in for a verdict, are not shown as if they had been said. */
export function exchangeOf(interaction: Interaction, form: AnswerForm): Exchange {
  const inShort = asMessages(interaction, answersOf(interaction, 'summaries'));
  const verdict = verdictOf(interaction);
  return {
    ...{ id: interaction.question.id, interaction, inShort },
    forSages: form === 'full' ? asMessages(interaction, answersOf(interaction, 'full')) : inShort,
    forChair: verdict.length === 0 ? inShort : asMessages(interaction, verdict),
  };
}

/**
 * Who said what, in order: the question, the answers in full, and the verdict, if the chair reached one.
 *
 * @param nameOf - The name of a sage by its key.
 */
export function saidIn(
  { question, answers, verdict }: Interaction,
  nameOf: (sage: string) => string,
): readonly Said[] {
  const concluded = verdictContent.safeParse(verdict);
  const said: readonly Said[] = [
    { by: question.author ?? 'someone', kind: 'question', text: questionText(question) },
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

/** A verdict's text, and below it what it left open. */
function verdictSaid({ verdict, unsettled }: z.infer<typeof verdictContent>): Said {
  const open = unsettled.map(oneLine);
  const below = open.length > 0 ? ['', 'Still open:', ...open.map((one) => `- ${one}`)] : [];
  return { by: 'the chair', kind: 'verdict', text: [verdict, ...below].join('\n'), open };
}

/** What ends something that is remembered, so that a question can follow. */
export const remembered: ChatMessage = { role: 'assistant', content: '(Remembered.)' };

/** A question and what came of it; nothing came of it, and that is said. */
function asMessages(
  { question }: Interaction,
  replies: readonly EarlierMessage[],
): readonly EarlierMessage[] {
  const asked = fence('question', questionText(question), {
    from: question.author ?? 'someone',
  });
  if (replies.length > 0) return [{ role: 'user', content: asked }, ...replies];
  return [{ role: 'user', content: `${asked}\n(No answer was kept.)` }];
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
  const parsed = verdictContent.safeParse(verdict);
  if (!parsed.success) return [];
  return [{ role: 'assistant', content: fence('verdict', parsed.data.verdict), by: 'chair' }];
}

function questionText(message: Message): string {
  const content = questionContent.safeParse(message.content);
  return content.success ? content.data.text : JSON.stringify(message.content);
}

/** Of an old message without a summary its content as text; nothing for a sage that failed. */
function answerTexts(message: Message): { readonly whole?: string; readonly short: string } {
  const content = answerContent.safeParse(message.content);
  if (!content.success) return { short: questionText(message) };
  const { answer, summary, status } = content.data;
  if (status === 'failed') return { short: '' };
  return { ...(answer !== undefined && { whole: answer }), short: summary };
}
