/** The options of a question, from any source: a menu, a chat command, a shell, a program. */

import { z } from 'zod';

/** `quick`: no reviews. `standard`: reviews. `deep`: reviews, and one rebuttal round where answers contradict each other. */
export const depths = ['quick', 'standard', 'deep'] as const;
export type Depth = (typeof depths)[number];
/** `auto`: the moderator chooses the depth. */
export const wishedDepths = [...depths, 'auto'] as const;
export type WishedDepth = (typeof wishedDepths)[number];

/**
 * Header of every model call. A council recognizes requests from another council by it, so that a council configured
 * as its own model doesn't call itself forever.
 */
export const councilHeader = 'x-council-depth';

/** A member's choices for one question. Absent fields follow the channel's settings. */
export interface Choice {
  readonly depth?: WishedDepth;
  /** Keys, or names, of the sages to seat. A single sage answers without a verdict. */
  readonly sages?: readonly string[];
  /** Name of the saved council to ask; `depth` and `sages` override its own. */
  readonly preset?: string;
}

/** The options of `ask` as people write them. */
export const askOptions = z.object({
  question: z.string().describe('What the council should think about'),
  depth: z
    .enum(wishedDepths)
    .optional()
    .describe(
      'quick: no reviews; standard: blind reviews; deep: reviews and rebuttals; auto: the moderator decides',
    ),
  sages: z
    .string()
    .optional()
    .describe('Names or keys of the sages, separated by commas; a single sage answers alone'),
  preset: z.string().optional().describe('Name of a saved council; the command preset lists them'),
});

/** Parses the options of `ask` into a question and a {@link Choice}. Rejects unknown options. */
export const askSchema = z
  .strictObject(askOptions.shape)
  .transform(({ question, depth, sages, preset }) => {
    const choice: Choice = {
      ...(depth && { depth }),
      ...(sages !== undefined && { sages: keysIn(sages) }),
      ...(preset !== undefined && { preset: preset.trim().toLowerCase() }),
    };
    return { question, choice };
  });

/** Splits `a, b` into `['a', 'b']`, at the commas of other scripts too. */
export function keysIn(list: string): readonly string[] {
  return list
    .split(/[,，、،]/)
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

/** How many next questions a verdict suggests at most, and their length in characters: they become buttons. */
export const mostNextQuestions = 3;
export const longestNextQuestion = 60;

/** The origin of a question that was picked below a verdict. */
export const followsSchema = z.object({
  /** The turn that reached the verdict. */
  turnId: z.string(),
  /** Asks one sage of that turn again, alone. Absent: the question is one that the verdict suggested. */
  again: z
    .object({
      /** Name of the sage. */
      name: z.string(),
      /** The moderator's sub-question for it. */
      focus: z.string().exactOptional(),
      /** `provider:model` that speaks for it this time; absent: the channel's setting. */
      model: z.string().exactOptional(),
      /** When it was first asked, in milliseconds since 1970. Prompts leave out everything said since. */
      firstAskedAt: z.number(),
    })
    .exactOptional(),
});

/** Limits for one person, e.g. the bearer of an API key, below the operator's limits for everyone. */
export const personLimitsSchema = z.object({
  /** US dollars per UTC day, across the whole platform. */
  usdPerDay: z.number().exactOptional(),
  /** How many questions may be queued or running at once. */
  openQuestions: z.number().exactOptional(),
});
export type PersonLimits = z.infer<typeof personLimitsSchema>;

/** How our question begins where a person asks about something without words. */
export const wordlessBeginning = 'What do you make of';
const wordless = new RegExp(
  String.raw`^${wordlessBeginning} (?:this\?|what .+ wrote\?(?: \(\S+\))?)$`,
  'u',
);

/** Whether a question is ours, in place of words. People's own may begin like it. */
export function isWordless(question: string): boolean {
  return wordless.test(question);
}

const mostWords = 7;
/** Words that refer to something said before, in the most common languages. */
const pointing =
  /(?<![\p{L}\p{M}])(?:this|that|these|those|it|above|settle|decide|who(?:'|’)?s right|who is right|which of (?:the two|them)|thoughts|opinions?|what do you (?:all )?think|agree|das|dies(?:e[rs]?)?|wer hat recht|(?:was|wie) (?:meint|denkt|sagt|seht|haltet|findet) ihr|eure meinung|dit|deze|wie heeft gelijk|ça|cela|ceci|qui a raison|(?:un|votre|vos) avis|qu['’]en (?:pensez|penses|dites)|questo|quello|chi ha ragione|(?:ne|cosa) (?:ne )?pensate|esto|eso|quién tiene razón|qué (?:opin|piens|pens|dic)\p{L}+|isso|isto|[dn]isso|quem tem razão|(?:o )?que (?:vocês )?ach\p{L}+|opini(?:ão|ões)|concordam|это|этом|кто прав|что (?:думаете|скажете)|ваше мнение|kto ma rację|co (?:o tym )?(?:myślicie|sądzicie)|bunu|buna|bunun|bunlar\p{L}*|bu konu\p{L}*|sizce|ne ders(?:in|iniz)|ne düşünüyor\p{L}+|kim haklı|هذا|هذه|ذلك|(?:ما )?ر[أا]ي(?:ك|كم)|من على حق|توافقون|यह|इस(?:के)? (?:बारे|पर)|आप(?:की)? (?:राय|क्या सोचते)|क्या सोचते|कौन सही)(?![\p{L}\p{M}])/iu;
const pointingWithoutSpaces =
  /これ|それ|この件|どう思|ご意見|どっちが|どちらが|这|這|那个|哪个|谁对|怎么看|怎麼看|觉得呢|이거|이것|그것|어떻게 생각|어떻게 보|의견|누가 맞|อันนี้|เรื่องนี้|คิดยังไง|คิดอย่างไร|คิดว่าไง|เห็นด้วย|ใครถูก/;

/** Whether a short question refers to what was said before it. */
export function pointsElsewhere(question: string): boolean {
  const text = question.normalize('NFC').trim();
  if (text.split(/\s+/).length > mostWords || text.length > 80) return false;
  return pointing.test(text) || pointingWithoutSpaces.test(text);
}
