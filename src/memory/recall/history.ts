/** The last questions of a thread with what came of them, as messages: in short for later prompts, or as they were said. */

import type { z } from 'zod';
import { fence } from '../../domain/fence.ts';
import { anyAnswerSchema, questionContentSchema } from '../../domain/stored-turn.ts';
import { verdictSchema } from '../../domain/turn.ts';
import { oneLine } from '../../domain/words.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import type { Interaction, Message } from '../../store/store.ts';
import type { Said } from '../summaries/coverage.ts';

/** What a prompt shows of an answer. */
export type AnswerForm = 'summaries' | 'full';

/** A question and what came of it, for those who read answers and for those who read verdicts. */
export interface Exchange {
  /** The question's id. */
  readonly id: string;
  readonly interaction: Interaction;
  readonly forSages: readonly ChatMessage[];
  /** What may stand in the place of `forSages`: each answer by its summary. */
  readonly inShort: readonly ChatMessage[];
  /** With the verdict; where there is none, with the answers in short. */
  readonly forChair: readonly ChatMessage[];
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
  const short = answersText(interaction, 'summaries');
  const inShort = asMessages(interaction, short);
  const verdict = verdictText(interaction);
  return {
    ...{ id: interaction.question.id, interaction, inShort },
    forSages: form === 'full' ? asMessages(interaction, answersText(interaction, 'full')) : inShort,
    forChair: verdict === undefined ? inShort : asMessages(interaction, verdict),
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
    { by: question.author ?? 'somebody', kind: 'question', text: questionText(question) },
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

/** Neighbours of one role as one message, because some servers want the roles to alternate. */
export function alternating(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const { role, content } of messages) {
    const last = merged.at(-1);
    if (last?.role === role) {
      merged[merged.length - 1] = { role, content: `${last.content}\n${content}` };
    } else merged.push({ role, content });
  }
  return merged;
}

/** What ends something that is remembered, so that a question can follow. */
export const remembered: ChatMessage = { role: 'assistant', content: '(Remembered.)' };

/** A question and what came of it; nothing came of it, and that is said. */
function asMessages({ question }: Interaction, reply: string): readonly ChatMessage[] {
  const asked = fence('question', questionText(question), {
    from: question.author ?? 'somebody',
  });
  return [
    { role: 'user', content: asked },
    { role: 'assistant', content: reply || '(No answer was kept.)' },
  ];
}

function answersText(interaction: Interaction, form: AnswerForm): string {
  return interaction.answers
    .flatMap((answer) => {
      const { whole, short } = answerTexts(answer);
      const kind = form === 'full' && whole !== undefined ? 'answer' : 'summary';
      const text = kind === 'answer' ? whole : short;
      return text ? [fence(kind, text, { sage: answer.sage ?? 'sage' })] : [];
    })
    .join('\n');
}

function verdictText({ verdict }: Interaction): string | undefined {
  const parsed = verdictContent.safeParse(verdict);
  return parsed.success ? fence('verdict', parsed.data.verdict) : undefined;
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
