/** What is asked about a remark that did not name the council: whether anybody there should answer. */

import { z } from 'zod';
import { fence, fenceRule } from '../../domain/fence.ts';
import { asReadBy, type ChatMessage } from '../../models/chat-model.ts';
import type { CouncilContext } from '../council.ts';
import { type Seating, seatingShape } from './moderator-prompt.ts';

const nobody = 'nobody';
const respond = z.string().describe(`"council" or "${nobody}"`);

/** Who should answer, and nothing else: for a council whose seats are fixed. */
export const respondShape = { name: 'respond', schema: z.object({ respond }) };

/** The moderator's contract, with what it says first. One that names no one to answer seats no one. */
export const overheardShape = {
  name: seatingShape.name,
  schema: z.object({
    respond: respond.exactOptional(),
    ...seatingShape.schema.partial().shape,
  }),
};
export type Overheard = z.infer<typeof overheardShape.schema>;

/** The ways in which a model says that no one should. */
const noOne = /^\s*["“]?(?:nobody|no[ -]?one|none|no)\b/i;

/** Whether a reply wants the council to speak. */
export function wantsAnswer({ respond: who }: Pick<Overheard, 'respond'>): boolean {
  return who !== undefined && who.trim() !== '' && !noOne.test(who);
}

/** The reply as one that seats. */
export function seatingIn(reply: Overheard): Seating {
  const { focus = [], predefined_chosen_sages = [], new_sages_to_create = [] } = reply;
  return { focus, predefined_chosen_sages, new_sages_to_create };
}

const rule = [
  'This was said in a thread of the council where people also talk to one another, and its writer did not name the council. So first decide who should respond.',
  '"council": it asks something or sets a task about what this thread is about, however short or unmarked it is ("and in winter?", "go deeper on the costs"); it objects to what the council said; it answers what the council asked.',
  `"${nobody}": it is thanks, agreement, a greeting, a joke or small talk; it is about people's own arrangements; it is addressed to a person; it asks colleagues for something that only they can know or do; it only reports or thinks aloud.`,
].join('\n');

/** @param messages - What the moderator is asked of a question, e.g. by `moderatorMessages`. */
export function withRespondRule(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const first = `${rule}\nBegin the object with the key "respond". For "${nobody}" that is all of it: {"respond": "${nobody}"}. For "council" the other keys follow.`;
  return messages.map((message, at) =>
    at === 0 ? { ...message, content: `${message.content}\n\n${first}` } : message,
  );
}

/** @param remark - As it was said; fenced here. */
export function respondMessages(remark: string, context: CouncilContext): readonly ChatMessage[] {
  const system = [
    'You listen for a council of sages. You do not answer what is said.',
    rule,
    `Reply with one JSON object and nothing else: {"respond": "council"} or {"respond": "${nobody}"}.`,
    fenceRule,
  ].join('\n\n');
  return [
    { role: 'system', content: system },
    ...asReadBy(context.forSages),
    { role: 'user', content: fence('question', remark) },
  ];
}
