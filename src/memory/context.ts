/**
 * What goes into a prompt from earlier turns: the one place that decides it.
 *
 * Sages, moderator and reviewers see the last questions with each sage's summary; the chair sees
 * the questions with the verdicts. Failed and pending answers, and what stood in for a verdict,
 * are not shown as if they had been said.
 */

import { z } from 'zod';
import type { ChatMessage } from '../models/chat-model.ts';
import type { Interaction, Message, MessageStore } from '../store/store.ts';

export interface RememberedContext {
  readonly forSages: readonly ChatMessage[];
  readonly forChair: readonly ChatMessage[];
  /** How many earlier interactions are in it. */
  readonly interactions: number;
}

/** How text from outside is marked as such in a prompt; given by whoever writes the prompts. */
export type Fencing = (
  kind: 'question' | 'summary' | 'verdict',
  text: string,
  attributes?: Readonly<Record<string, string>>,
) => string;

export interface ContextOptions {
  readonly threadId: string;
  /** The turn that the context is for; never part of it. */
  readonly turnId: string;
  /** How many interactions to look back; 0 looks at none. */
  readonly interactions: number;
  readonly fencing: Fencing;
}

const questionContent = z.object({ text: z.string() });
const answerContent = z.object({ summary: z.string(), status: z.string().optional() });
const verdictContent = z.object({ kind: z.literal('synthesis'), verdict: z.string() });

/** Reads the last interactions of a thread, in one round trip, as proper messages in order of time. */
export async function recallContext(
  messages: MessageStore,
  options: ContextOptions,
): Promise<RememberedContext> {
  if (options.interactions === 0) return { forSages: [], forChair: [], interactions: 0 };
  const recent = await messages.recent(options.threadId, {
    limit: options.interactions,
    exceptTurnId: options.turnId,
  });
  return {
    forSages: recent.flatMap((interaction) =>
      asMessages(interaction, answersText, options.fencing),
    ),
    forChair: recent.flatMap((interaction) =>
      asMessages(interaction, verdictText, options.fencing),
    ),
    interactions: recent.length,
  };
}

/** A question and what came of it; nothing came of it, and the question stands alone. */
function asMessages(
  interaction: Interaction,
  reply: (interaction: Interaction, fencing: Fencing) => string,
  fencing: Fencing,
): readonly ChatMessage[] {
  const content = reply(interaction, fencing);
  return [
    {
      role: 'user',
      content: fencing('question', questionText(interaction.question), {
        from: interaction.question.author ?? 'somebody',
      }),
    },
    { role: 'assistant', content: content || '(No answer was kept.)' },
  ];
}

function answersText(interaction: Interaction, fencing: Fencing): string {
  return interaction.answers
    .flatMap((answer) => {
      const text = summaryText(answer);
      return text ? [fencing('summary', text, { sage: answer.sage ?? 'sage' })] : [];
    })
    .join('\n');
}

function verdictText(interaction: Interaction, fencing: Fencing): string {
  const verdict = verdictContent.safeParse(interaction.verdict);
  return verdict.success
    ? fencing('verdict', verdict.data.verdict)
    : answersText(interaction, fencing);
}

function questionText(message: Message): string {
  const content = questionContent.safeParse(message.content);
  return content.success ? content.data.text : JSON.stringify(message.content);
}

/** The summary; of an old message without one its content as text; nothing for a sage that failed. */
function summaryText(message: Message): string {
  const content = answerContent.safeParse(message.content);
  if (content.success) return content.data.status === 'failed' ? '' : content.data.summary;
  const asText = questionContent.safeParse(message.content);
  return asText.success ? asText.data.text : JSON.stringify(message.content);
}
