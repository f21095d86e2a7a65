/**
 * The records of a turn: the request, the seats, the answers, the reviews, the ranking and the verdict.
 * Everything that writes or reads a stored turn uses these schemas.
 */

import { z } from 'zod';
import { depths, followsSchema, personLimitsSchema, wishedDepths } from './asking.ts';
import { failureReasons, failureSchema } from './failure.ts';
import { heardSchema, surroundings } from './heard.ts';

/** A persona with a model. */
export const sageSchema = z.object({
  /** Lower-case letters, digits and `_`; at most 64 characters; unique on its bench. */
  key: z.string(),
  name: z.string(),
  /** One sentence that tells the moderator and people what this sage is for. */
  description: z.string(),
  /** The tailored prompt; absent: the generic role prompt with name and description. */
  prompt: z.string().exactOptional(),
  /** Public https address of a picture. */
  avatarUrl: z.string().exactOptional(),
  /** One emoji, for places that show no pictures. */
  emoji: z.string().exactOptional(),
  source: z.enum(['predefined', 'custom', 'dynamic']),
});
export type Sage = z.infer<typeof sageSchema>;

/**
 * What a model thought before its reply, by its beginning: for the receipt alone. It is no answer, is in
 * no later prompt, and goes with the turn when that is forgotten. Absent where the model tells none.
 */
export const reasoningSchema = z.string().exactOptional();
const maxReasoningChars = 4000;

/** What is kept of a reply's reasoning; a field to spread. */
export function keptReasoning(reasoning: string): { readonly reasoning?: string } {
  const kept = reasoning.trim();
  if (kept === '') return {};
  if (kept.length <= maxReasoningChars) return { reasoning: kept };
  return { reasoning: `${kept.slice(0, maxReasoningChars).trimEnd()} […]` };
}

/** A seated sage. */
const seatSchema = z.object({
  sage: sageSchema,
  /** The moderator's own sub-question; always goes with the original question, never instead of it. */
  focus: z.string().exactOptional(),
  /** `provider:model` that speaks for it. */
  model: z.string(),
});
export type Seat = z.infer<typeof seatSchema>;

export const seatedSchema = z.object({
  seats: z.array(seatSchema),
  how: z.enum(['moderated', 'fixed', 'addressed', 'fallback']),
  /** Why the fallback council sits; absent otherwise, and in turns of earlier versions. */
  because: z.enum(['failed', 'not_understood', 'named_nobody']).exactOptional(),
  /** Sages that were named and not seated, and why. */
  dropped: z.array(z.object({ name: z.string(), why: z.string() })),
  /** Which the question deserves, as the moderator sees it and as is allowed; absent: it was not asked. */
  depth: z.enum(depths).exactOptional(),
  /** For people: why the fallback council sits, and who sits under another name than the moderator gave. */
  note: z.string().exactOptional(),
  /** The moderator's. */
  reasoning: reasoningSchema,
  latencyMs: z.number(),
});
export type Seated = z.infer<typeof seatedSchema>;

/** How the council came to answer a remark that was not put to it. */
const convenedSchema = z.object({
  /** By the moderator, in the same call; absent: it is seated when the turn begins. */
  seated: seatedSchema.exactOptional(),
  /** What was called for it, and is paid already. */
  calls: z.array(
    z.object({
      /** `provider:model`. */
      model: z.string(),
      stage: z.string(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      reasoningTokens: z.number(),
      /** US dollars; absent where it is unknown. */
      costUsd: z.number().exactOptional(),
      estimated: z.boolean(),
      outcome: z.string(),
      latencyMs: z.number(),
    }),
  ),
});

export type Convened = z.infer<typeof convenedSchema>;

/** A question, as a platform's adapter hands it over. The schema reads it back from a store. */
export const turnRequestSchema = z.object({
  turnId: z.string(),
  /** `platform:workspace:channel:thread`. */
  threadId: z.string(),
  /** The platform's own id of the event, unique within it. */
  eventId: z.string(),
  question: z.string(),
  author: z.object({
    id: z.string(),
    name: z.string(),
    /** The workspace that they are of; absent: that of the thread, or the platform tells none. */
    workspace: z.string().exactOptional(),
    /** Absent: as the operator's file says. */
    limits: personLimitsSchema.exactOptional(),
  }),
  /** Milliseconds since 1970. */
  askedAt: z.number(),
  /** The platform's own id of the message that it replies to; absent: none, or the platform tells none. */
  repliesTo: z.string().exactOptional(),
  /** What asked is a post that people read in the place itself, so that the question need not be shown again. */
  isPosted: z.literal(true).exactOptional(),
  /** The platform's own id of the message whose edited text it asks, and with which it goes. */
  editOf: z.string().exactOptional(),
  /** What the member asked for; absent: what the channel is set to. */
  depth: z.enum(wishedDepths).exactOptional(),
  /** The most that could be held for it where the moderator chooses; absent: as deep as its channel allows. */
  depthUpTo: z.enum(depths).exactOptional(),
  /** Id of the turn, in the same thread, whose answers and reviews it goes on from; asked at depth `deep`. */
  deepens: z.string().exactOptional(),
  /** Name of the council that the member asked for; what the channel is set to goes behind it. */
  preset: z.string().exactOptional(),
  /** Keys of the sages that the member asked for; one of them alone speaks without a verdict. */
  sages: z.array(z.string()).readonly().exactOptional(),
  /** Those of them that are on no bench, because the moderator invented them for an earlier turn. */
  guests: z.array(sageSchema).readonly().exactOptional(),
  /**
   * Whether not everybody of the workspace can read where it was asked: a private channel, a direct
   * message. Absent: unknown, and treated as private.
   */
  isPrivate: z.boolean().exactOptional(),
  /** Whether fewer people can read the thread than its channel. Absent: as many. */
  isPrivateThread: z.boolean().exactOptional(),
  /** People of elsewhere read along, or may: nothing is recalled from other channels. Absent: they don't. */
  isOpenOutside: z.boolean().exactOptional(),
  /** What is read of people's conversation before the turn runs. Absent: nothing. */
  hears: z.enum(surroundings).exactOptional(),
  /** What came with the question of people's conversation; of a stored turn it is a step, which can be emptied. */
  heard: heardSchema.exactOptional(),
  /** What the program through which it was asked tells every model; of the same standing as the question. Absent: nothing. */
  instructions: z.string().exactOptional(),
  /** How a remark that did not name the council was found to be meant for it; absent: it was asked. */
  convened: convenedSchema.exactOptional(),
  /** What was picked below a verdict; absent: it was asked in words. */
  follows: followsSchema.exactOptional(),
});
export type TurnRequest = z.infer<typeof turnRequestSchema>;

/** How a sage ended. A failed one keeps the shape of an answer, so that all that reads it needs one. */
export const sageAnswerSchema = z.object({
  /** Key of the sage. */
  sage: z.string(),
  status: z.enum(['answered', 'failed', 'stopped']),
  /** The full text for people; `Error: …` for a failed one; what had arrived for a stopped one. */
  answer: z.string(),
  /** The compact text for later prompts; `Error invoking sage.` for a failed one. */
  summary: z.string(),
  reason: z.enum(failureReasons).exactOptional(),
  /** What had arrived of a failed answer; for the receipt, never shown as an answer. */
  partial: z.string().exactOptional(),
  reasoning: reasoningSchema,
  model: z.string(),
  latencyMs: z.number(),
});
export type SageAnswer = z.infer<typeof sageAnswerSchema>;

/** What the chair would say on its own, before it has heard the council. */
export const ownAnswerSchema = z.object({
  /** Empty when there is none. */
  text: z.string(),
  reasoning: reasoningSchema,
  model: z.string(),
  /** Why there is none; the chair then writes its verdict without it. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type OwnAnswer = z.infer<typeof ownAnswerSchema>;

export const ballotSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('ranked'),
    /** Tied labels together, best group first. */
    groups: z.array(z.array(z.string())),
    /** Not every label that was shown is listed. */
    partial: z.boolean(),
  }),
  z.object({ status: z.literal('abstained'), reason: z.string() }),
]);

export const reviewSchema = z.object({
  /** Key of the sage in whose name it was written. */
  reviewer: z.string(),
  model: z.string(),
  /** Which sage stood behind which label, in the order in which this reviewer saw them. */
  labels: z.array(z.object({ label: z.string(), sage: z.string() })),
  /** The review as it was written; empty when there is none. */
  text: z.string(),
  reasoning: reasoningSchema,
  ballot: ballotSchema,
  /** Why there is no review. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type Review = z.infer<typeof reviewSchema>;

export const rankingSchema = z.object({
  /** Best first. Equal positions are ties. */
  places: z.array(
    z.object({
      sage: z.string(),
      /** Share of pairwise comparisons won, 0 to 1; a tie is half a win. */
      score: z.number(),
      /** 1 is best; tied sages share the better one. */
      position: z.number(),
      /** Mean place on the ballots that list it; absent when none does. */
      averagePosition: z.number().exactOptional(),
      /** How many ballots list it. */
      votes: z.number(),
    }),
  ),
  /** How many second ballots weigh in the shares; absent: none were held. */
  secondBallots: z.number().exactOptional(),
  /** Mean Kendall tau of all pairs of ballots, -1 to 1; absent with fewer than two ballots. */
  agreement: z.number().exactOptional(),
  /** How many places higher authors put their own answer than the others did; absent without such votes. */
  selfPreference: z.number().exactOptional(),
});
export type Ranking = z.infer<typeof rankingSchema>;

/** How far the sages disagree, in a word and in the numbers that it comes from. */
export const disagreementSchema = z.object({
  word: z.enum(['aligned', 'leaning', 'split']),
  /** How many whole ballots it was measured on, at least 3. */
  ballots: z.number(),
  /** Kendall's W of these ballots, 0 to 1. */
  concordance: z.number(),
  /** The largest share of first places that one answer has, 0 to 1. */
  favourite: z.number(),
  /** Mean distance of two answers in words, 0 (the same) to 1 (none in common). */
  distance: z.number(),
  /** On how many contradictions two stances are still held; then the word goes by these. Absent: by the ballots. */
  openContradictions: z.number().exactOptional(),
});
export type Disagreement = z.infer<typeof disagreementSchema>;

/** What the party to a contradiction makes of its own answer. */
export const positionSchema = z.enum(['held', 'amended', 'conceded']);
export type Position = z.infer<typeof positionSchema>;

/** What became of what the docket names, held against what its parties said. */
export const settlementSchema = z.object({
  /** In the order of the docket. */
  contradictions: z.array(
    z.object({
      topic: z.string(),
      /** Who takes which side, and what each made of the other; who was not asked is held to have held. */
      sides: z.array(z.object({ sage: z.string(), stance: z.string(), position: positionSchema })),
      /** `settled`: at most one stance is still held. */
      status: z.enum(['settled', 'open']),
      /** Why the chair follows whom, or what would settle it. */
      why: z.string(),
    }),
  ),
  unique: z.array(
    z.object({
      sage: z.string(),
      point: z.string(),
      /** `passed_over`: the chair did not say. */
      fate: z.enum(['kept', 'dropped', 'passed_over']),
      why: z.string(),
    }),
  ),
  /** Where the verdict and the tally part, a sentence each. */
  caveats: z.array(z.string()),
});
export type Settlement = z.infer<typeof settlementSchema>;

/** A view that lost, kept as data whether or not the chair repeats it. */
export const dissentSchema = z.object({
  sage: z.string(),
  /** What the ballots show, in a sentence. */
  shown: z.string(),
  summary: z.string(),
});
export type Dissent = z.infer<typeof dissentSchema>;

export const verdictSchema = z.object({
  /** `synthesis`: the chair's own. `top_answer`: the chair failed, this is a sage's answer under a notice. */
  kind: z.enum(['synthesis', 'top_answer']),
  /** The answer itself. */
  verdict: z.string(),
  consensus: z.array(z.string()),
  disagreements: z.array(z.string()),
  /** The strongest view that the verdict does not follow; empty if there is none. */
  minorityReport: z.string(),
  /** What could not be known, and what would settle it; none in turns of earlier versions. */
  unsettled: z.array(z.string()).default([]),
  confidence: z.enum(['low', 'medium', 'high']).exactOptional(),
  /** What is sure in the verdict and what is not, in a sentence; absent in turns of earlier versions. */
  confidenceReason: z.string().exactOptional(),
  /** What the person may want to ask next, at most three; absent: nothing is suggested. */
  nextQuestions: z.array(z.string()).exactOptional(),
  dissent: z.array(dissentSchema),
  /** Absent where no rebuttal was held. */
  settlement: settlementSchema.exactOptional(),
  /** `provider:model` of the chair, or key of the sage for `top_answer`. */
  by: z.string(),
  /** What people must know about how it came about, e.g. that the chair failed and why. */
  notice: z.string().exactOptional(),
  /** The chair's. */
  reasoning: reasoningSchema,
  latencyMs: z.number(),
});
export type Verdict = z.infer<typeof verdictSchema>;
