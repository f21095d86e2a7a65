/** The moderator's prompts, for questions and for remarks that didn't name the council, and the shapes of its replies. */

import { z } from 'zod';
import { depths } from '../../domain/asking.ts';
import { fence, fenceRule } from '../../domain/fence.ts';
import { nameWords, oneLine } from '../../domain/words.ts';
import { asReadBy, type ChatMessage } from '../../models/chat-model.ts';
import { listOf, wordOf } from '../../models/structured.ts';
import type { Council, CouncilContext } from '../council.ts';

/** The most words of a focus. */
export const maxFocusWords = 25;

const focusSchema = z.object({ sage: z.string(), query: z.string() });
const newSageSchema = z.object({ name: z.string(), description: z.string() });

/**
 * The moderator's contract. `focus` comes first because models write in this order: a sage can then start with its
 * focus as soon as the stream names it.
 */
export const seatingShape = {
  name: 'seating',
  schema: z.object({
    focus: z.array(focusSchema).catch([]),
    predefined_chosen_sages: listOf(z.string()),
    new_sages_to_create: listOf(newSageSchema),
    /** Key or name of the sage that must argue for an option; empty: none. */
    on_request: z.string().catch(''),
    /** Who answers without a council: {@link chairAlone}, or the key or name of a sage; empty: no one. */
    alone: z.string().catch(''),
  }),
};
/** In the moderator's `alone`: the chair answers from what was said, and no sage is asked. */
export const chairAlone = 'chair';
export type Seating = z.infer<typeof seatingShape.schema>;

/** The shape if the moderator also chooses the depth. */
export const seatingAndDepthShape = {
  name: seatingShape.name,
  schema: seatingShape.schema.extend({ depth: wordOf(depths).default('standard') }),
};

const inDanger =
  'anyone may be in danger now (they want to die or to hurt themselves or others, are being hurt, or need a doctor at once)';

/** For all who write to the person. */
export const dangerRule = `If ${inDanger}, this comes before every other rule on what you say and at what length, and before your point of view: open with what to do in the next minutes and where to call. Give a number only with its country, and only if you are sure of it; else say what to look for, such as the emergency number or a crisis line. Say who could be with them now. Then a few warm, plain sentences, without reproach. Answer what they ask in the way that keeps them safe, argue for nothing, and name no way to do harm and no amounts.`;

const depthRule =
  'Say last how deep the council should go, in one more key of the object, "depth": "quick" for a plain fact, a small choice or a few words of comfort, where nobody needs to check the others, and where anyone is in danger; "deep" where much hangs on it, it is hard to take back and sages are likely to contradict each other; else "standard".';

/**
 * Builds the prompt for seating a council.
 *
 * @param question - As it was asked; this function fences it.
 * @param isDepthOpen - The moderator also chooses the depth.
 */
export function moderatorMessages(
  question: string,
  council: Council,
  context: CouncilContext,
  isDepthOpen = false,
): readonly ChatMessage[] {
  const bench = council.bench
    .map(({ key, name, description }) => {
      // People ask for it by its name, which the key may not tell.
      const isTold = nameWords(key.replace(/^custom_/, '')) === nameWords(name);
      const called = isTold ? '' : `, called ${oneLine(name)}`;
      return `- ${key}${called}: ${oneLine(description)}`;
    })
    .join('\n');
  const invention =
    council.maxDynamicSages > 0
      ? `Where nobody on the bench knows the matter from practice, or comes near a view that this question needs, and only there, invent a sage: at most ${council.maxDynamicSages}. Its description has three or four sentences: what it looks at first, which evidence it trusts, how it decides, what it tends to miss. Its name is a short trade or role, unlike any on the bench; one that was invented for an earlier question may be invented again, under its name.`
      : 'Do not invent sages: leave "new_sages_to_create" empty.';
  const system = [
    'You are the moderator of a council of sages. You decide who sits for a question; you do not answer it.',
    `Seat at most ${council.maxSages} sages in all: those whose ways of looking at this question differ the most from one another and matter the most for it. One of them knows the matter itself from practice. Two who would say the same are one too many, and a plain question of fact${hasSpoken(context) ? ', or a small step on from what was said here,' : ''} needs no more than two. Where the person is torn, hurt or afraid, seat one who looks at the person.`,
    `The bench, by key:\n${fence('bench', bench)}`,
    invention,
    `Give each seated sage a focus: one open question of at most ${maxFocusWords} words that this sage in particular should press. It asks and does not suggest: it names no solution that the question does not name. Where the answer hangs on something that the question takes for granted, one focus asks whether it is true.`,
    'Where the question leaves a real choice, one sage gets a task as its focus instead: to make the strongest honest case for an option that the others will probably reject and that may still be right. Choose one who knows enough to make it, neither a professional opponent nor the only one who knows the matter from practice: that one answers freely. Do not invent one for it, and name it in "on_request"; else leave that empty.',
    hasSpoken(context)
      ? `Seat none and say in "alone" who answers instead: "${chairAlone}", where nothing new has to be thought about, because the person wants what was said here once more in another form (shorter, as a table, in another language, as a message to send), asks who said what, or wants what no sage can do, such as forgetting something; the key of a sage, where they ask for that one alone. Else leave it empty: an objection, a new fact or a doubt is for sages.`
      : 'Where they ask for one sage alone, seat none and give its key in "alone"; else leave that empty.',
    `If ${inDanger}, seat one sage alone: the one who can best look after that person. Its focus asks what keeps them safe now and repeats nothing that they said, and there is no task.`,
    'Reply with one JSON object and nothing else, its keys in this order: ' +
      '{"focus": [{"sage": "key or new name", "query": "…"}], "predefined_chosen_sages": ["key"], "new_sages_to_create": [{"name": "…", "description": "…"}], "on_request": "key", "alone": "key"}',
    ...(isDepthOpen ? [depthRule] : []),
    languageRule(council, 'your texts'),
    fenceRule,
  ].join('\n\n');
  return [
    { role: 'system', content: system },
    ...asReadBy(context.forSages),
    { role: 'user', content: fence('question', question) },
  ];
}

/** Whether sages or chair have said something in this thread, which the chair can say once more. */
export function hasSpoken({ forSages }: CouncilContext): boolean {
  return forSages.some(({ by }) => by !== undefined);
}

/** The language in which a model must write. @param what - E.g. `your answer`. */
export function languageRule(council: Pick<Council, 'language'>, what: string): string {
  return council.language
    ? `Write ${what} in ${oneLine(council.language)}.`
    : `Write ${what} in the language of the question.`;
}

const nobody = 'nobody';
const respond = z.string().describe(`"council" or "${nobody}"`);

/** The shape for a council with fixed seats: only who should answer. */
export const respondShape = { name: 'respond', schema: z.object({ respond }) };

/** The moderator's contract, preceded by who should answer. Seats are only needed for `council`. */
export const overheardShape = {
  name: seatingShape.name,
  schema: z.object({
    respond: respond.exactOptional(),
    ...seatingShape.schema.partial().shape,
  }),
};
export type Overheard = z.infer<typeof overheardShape.schema>;

/** How models write that nobody should answer. */
const noOne = /^\s*["“]?(?:nobody|no[ -]?one|none|no)\b/i;

/** Whether the council should answer. */
export function wantsAnswer({ respond: who }: Pick<Overheard, 'respond'>): boolean {
  return who !== undefined && who.trim() !== '' && !noOne.test(who);
}

const rule = [
  'This was said where people also talk to one another, and its writer did not address the council: it is in a thread of the council, or mentions the council within a sentence. So first decide who should respond.',
  '"council": it asks something or sets a task about what this thread is about, however short or unmarked it is ("and in winter?", "go deeper on the costs"); it objects to what the council said; it answers what the council asked; it wants something of the council; it shows that anyone may be in danger.',
  `"${nobody}": it is thanks, agreement, a greeting, a joke or small talk; it is about people's own arrangements; it is addressed to a person; it asks colleagues for something that only they can know or do; it only reports or thinks aloud; it tells people about the council, or quotes what was asked.`,
].join('\n');

/** Adds the decision who should respond. @param messages - From {@link moderatorMessages}. */
export function withRespondRule(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const first = `${rule}\nBegin the object with the key "respond". For "${nobody}" that is all of it: {"respond": "${nobody}"}. For "council" the other keys follow.`;
  return messages.map((message, at) =>
    at === 0 ? { ...message, content: `${message.content}\n\n${first}` } : message,
  );
}

/** Builds the prompt for only the decision who should respond. @param remark - As written; this function fences it. */
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
