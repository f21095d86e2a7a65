/** What a question is asked with, whichever way: in a menu, on a command line, in a shell, by a program. */

import { z } from 'zod';

/** `quick` holds no reviews, `standard` does, `deep` adds one bounded rebuttal where answers contradict each other. */
export const depths = ['quick', 'standard', 'deep'] as const;
export type Depth = (typeof depths)[number];
/** `auto`: the moderator says which depth a question deserves. */
export const wishedDepths = [...depths, 'auto'] as const;
export type WishedDepth = (typeof wishedDepths)[number];

/**
 * Header of every call to a model, by which a council knows a request of another one: a council that was set as
 * a model of itself would ask itself without end.
 */
export const councilHeader = 'x-council-depth';

/** What a member may wish for one question; what is absent is as the channel is set. */
export interface Choice {
  readonly depth?: WishedDepth;
  /** Keys of the sages to seat; one alone speaks without a verdict. */
  readonly sages?: readonly string[];
  /** Name of the council to ask; depth and sages that are wished for go before its own. */
  readonly preset?: string;
}

/** The options of `ask` as people give them. */
export const askOptions = z.object({
  question: z.string().describe('What the council should think about'),
  depth: z
    .enum(wishedDepths)
    .optional()
    .describe(
      'quick: no reviews; standard: the sages review each other; deep: and answer those who contradict them; auto: as the moderator sees fit',
    ),
  sages: z
    .string()
    .optional()
    .describe('Keys of the sages to seat, with commas; one alone speaks for itself'),
  preset: z.string().optional().describe('Name of a council that was saved; preset lists them'),
});

/** Reads the options of `ask`: a question, and what is wished for it. Refuses unknown options. */
export const askSchema = z
  .strictObject(askOptions.shape)
  .transform(
    ({
      question,
      depth,
      sages,
      preset,
    }): { readonly question: string; readonly choice: Choice } => ({
      question,
      choice: {
        ...(depth && { depth }),
        ...(sages !== undefined && { sages: keysIn(sages) }),
        ...(preset !== undefined && { preset: preset.trim().toLowerCase() }),
      },
    }),
  );

/** `a, b` as `['a', 'b']`. */
export function keysIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

/** Tells people that their question was taken. @param turnsBefore - How many turns of the thread come first. */
export function takenWords(turnsBefore: number): string {
  if (turnsBefore === 0) return 'The council is being seated.';
  const ahead = turnsBefore === 1 ? 'one question is' : `${turnsBefore} questions are`;
  return `Queued: ${ahead} ahead of yours.`;
}

/** How many questions a verdict suggests, and how long each may be in characters: they are buttons. */
export const mostNextQuestions = 3;
export const longestNextQuestion = 60;

/** What a question follows from that was picked below a verdict. */
export const followsSchema = z.object({
  /** The turn that reached the verdict. */
  turnId: z.string(),
  /** A sage of that turn is asked again, alone. Absent: the question is one that the verdict suggests. */
  again: z
    .object({
      /** Name of the sage. */
      name: z.string(),
      /** What the moderator asked it besides. */
      focus: z.string().exactOptional(),
      /** `provider:model` that speaks for it this time; absent: as the channel is set. */
      model: z.string().exactOptional(),
      /** When it was asked first, in milliseconds since 1970. What was said from then on is in no prompt. */
      firstAskedAt: z.number(),
    })
    .exactOptional(),
});

/** What one person may use up, below what the operator's file allows every person: e.g. the bearer of a key. */
export const personLimitsSchema = z.object({
  /** US dollars a UTC day, over all places of the platform. */
  usdPerDay: z.number().exactOptional(),
  /** How many questions may wait or run at once. */
  openQuestions: z.number().exactOptional(),
});
export type PersonLimits = z.infer<typeof personLimitsSchema>;
