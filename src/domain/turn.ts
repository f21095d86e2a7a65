/** The records of a turn: request, seats, answers, reviews, ranking and verdict. All code uses these schemas. */

import { z } from 'zod';
import { depths, followsSchema, personLimitsSchema, wishedDepths } from './asking.ts';
import { failureReasons, failureSchema } from './failure.ts';
import { heardSchema, surroundings } from './heard.ts';

/** A persona with a model. */
export const sageSchema = z.object({
  /** Lower-case letters, digits and `_`; at most 64 characters; unique on its bench. */
  key: z.string(),
  name: z.string(),
  /** One sentence for the moderator and for people: what this sage is for. */
  description: z.string(),
  /** A tailored prompt; absent: the generic role prompt with name and description. */
  prompt: z.string().exactOptional(),
  /** Public https URL of a picture. */
  avatarUrl: z.string().exactOptional(),
  /** One emoji, for places without pictures. */
  emoji: z.string().exactOptional(),
  source: z.enum(['predefined', 'custom', 'dynamic']),
});
export type Sage = z.infer<typeof sageSchema>;

/**
 * The beginning of a model's reasoning, for the receipt only: it enters no later prompt and is forgotten with its
 * turn. Absent if the model returned none.
 */
export const reasoningSchema = z.string().exactOptional();
const maxReasoningChars = 4000;

/** Cuts a reply's reasoning to the stored length, as a field to spread. */
export function keptReasoning(reasoning: string): { readonly reasoning?: string } {
  const kept = reasoning.trim();
  if (kept === '') return {};
  if (kept.length <= maxReasoningChars) return { reasoning: kept };
  return { reasoning: `${kept.slice(0, maxReasoningChars).trimEnd()} […]` };
}

/** A seated sage. */
const seatSchema = z.object({
  sage: sageSchema,
  /** The moderator's sub-question; accompanies the original question, never replaces it. */
  focus: z.string().exactOptional(),
  /** `provider:model` that speaks for it. */
  model: z.string(),
});
export type Seat = z.infer<typeof seatSchema>;

export const seatedSchema = z.object({
  /** Empty: the chair answers alone, from what was said in the thread. */
  seats: z.array(seatSchema),
  /** Key of the sage that the moderator had argue for an option. */
  onRequest: z.string().exactOptional(),
  how: z.enum(['moderated', 'fixed', 'addressed', 'fallback']),
  /** Why the fallback council was seated; absent otherwise, and in turns of earlier versions. */
  because: z.enum(['failed', 'not_understood', 'named_nobody']).exactOptional(),
  /** Sages that were named but not seated, and why. */
  dropped: z.array(z.object({ name: z.string(), why: z.string() })),
  /** The depth that the moderator chose, within the limits; absent: the moderator wasn't asked. */
  depth: z.enum(depths).exactOptional(),
  /** For people: why the fallback council was seated, or why the turn isn't as deep as the moderator chose. */
  note: z.string().exactOptional(),
  /** The moderator's reasoning. */
  reasoning: reasoningSchema,
  latencyMs: z.number(),
});
export type Seated = z.infer<typeof seatedSchema>;

/** The tokens, cost and time of one model call. */
export const modelCallSchema = z.object({
  /** `provider:model`. */
  model: z.string(),
  stage: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  /** US dollars; absent if unknown. */
  costUsd: z.number().exactOptional(),
  estimated: z.boolean(),
  outcome: z.string(),
  latencyMs: z.number(),
});

/** How the council came to answer a remark that didn't address it. */
const convenedSchema = z.object({
  /** The seating from the same call; absent: the council is seated when the turn begins. */
  seated: seatedSchema.exactOptional(),
  /** The calls made for the decision, already paid for. */
  calls: z.array(modelCallSchema),
});

export type Convened = z.infer<typeof convenedSchema>;

/** A question as a platform adapter passes it on. */
export const turnRequestSchema = z.object({
  turnId: z.string(),
  /** `platform:workspace:channel:thread`. */
  threadId: z.string(),
  /** The platform's id of the event, unique on that platform. */
  eventId: z.string(),
  question: z.string(),
  author: z.object({
    id: z.string(),
    name: z.string(),
    /** The author's workspace; absent: the thread's, or unknown. */
    workspace: z.string().exactOptional(),
    /** Absent: the limits in the operator's file. */
    limits: personLimitsSchema.exactOptional(),
  }),
  /** Milliseconds since 1970. */
  askedAt: z.number(),
  /** The platform's id of the message that it replies to; absent: none, or unknown. */
  repliesTo: z.string().exactOptional(),
  /** The question is a visible post in the channel and need not be shown again. */
  isPosted: z.literal(true).exactOptional(),
  /** The platform's id of the message whose edited text this asks; deleting that message deletes the turn. */
  editOf: z.string().exactOptional(),
  /** The member's choice; absent: the channel's setting. */
  depth: z.enum(wishedDepths).exactOptional(),
  /** The deepest choice of the moderator that money was reserved for; absent: as deep as the channel allows. */
  depthUpTo: z.enum(depths).exactOptional(),
  /** Id of the turn in the same thread whose answers and reviews it continues, at depth `deep`. */
  deepens: z.string().exactOptional(),
  /** Name of the saved council that the member chose; it overrides the channel's settings. */
  preset: z.string().exactOptional(),
  /** Keys of the sages that the member chose; a single one answers without a verdict. */
  sages: z.array(z.string()).readonly().exactOptional(),
  /** Chosen sages that are on no bench: the moderator invented them for an earlier turn. */
  guests: z.array(sageSchema).readonly().exactOptional(),
  /** Asked where not all of the workspace can read: a private channel, a direct message. Absent: unknown, and treated as private. */
  isPrivate: z.boolean().exactOptional(),
  /** Fewer people can read the thread than its channel. Absent: as many. */
  isPrivateThread: z.boolean().exactOptional(),
  /** The thread's channel takes no messages of its own, e.g. a forum. Absent: it does, or there is none. */
  isForumPost: z.literal(true).exactOptional(),
  /** People outside the workspace can read along, so nothing is recalled from other channels. Absent: they can't. */
  isOpenOutside: z.boolean().exactOptional(),
  /** Which conversation is read before the turn runs. Absent: none. */
  hears: z.enum(surroundings).exactOptional(),
  /** Messages that came with the question; a stored turn keeps them as a step, which can be deleted. */
  heard: heardSchema.exactOptional(),
  /** Instructions of the calling program to all models, trusted no more than the question. Absent: none. */
  instructions: z.string().exactOptional(),
  /** Of the council's own words in its posts, as a BCP 47 tag, whatever the channel is set to later. Absent: English. */
  language: z.string().exactOptional(),
  /** Why a remark that didn't name the council is answered; absent: the council was asked. */
  convened: convenedSchema.exactOptional(),
  /** The button picked below a verdict; absent: the question was typed. */
  follows: followsSchema.exactOptional(),
});
export type TurnRequest = z.infer<typeof turnRequestSchema>;

/** A sage's outcome. A failed or stopped one has the same shape as an answer. */
export const sageAnswerSchema = z.object({
  /** Key of the sage. */
  sage: z.string(),
  status: z.enum(['answered', 'failed', 'stopped']),
  /** The full text for people; `Error: …` if it failed; the partial text if it was stopped. */
  answer: z.string(),
  /** The compact text for later prompts; `Error invoking sage.` if it failed. */
  summary: z.string(),
  reason: z.enum(failureReasons).exactOptional(),
  /** The partial text of a failed answer, for the receipt; never shown as an answer. */
  partial: z.string().exactOptional(),
  reasoning: reasoningSchema,
  model: z.string(),
  latencyMs: z.number(),
});
export type SageAnswer = z.infer<typeof sageAnswerSchema>;

/** The chair's own answer, written before it sees the council's. */
export const ownAnswerSchema = z.object({
  /** Empty if it failed. */
  text: z.string(),
  reasoning: reasoningSchema,
  model: z.string(),
  /** Why it failed; the chair then writes its verdict without it. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type OwnAnswer = z.infer<typeof ownAnswerSchema>;

export const ballotSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('ranked'),
    /** Groups of tied labels, best first. */
    groups: z.array(z.array(z.string())),
    /** Some of the shown labels are missing. */
    partial: z.boolean(),
  }),
  z.object({ status: z.literal('abstained'), reason: z.string() }),
]);

export const reviewSchema = z.object({
  /** Key of the sage that wrote it. */
  reviewer: z.string(),
  model: z.string(),
  /** Which sage each label stood for, in the order that this reviewer saw. */
  labels: z.array(z.object({ label: z.string(), sage: z.string() })),
  /** The review as written; empty if there is none. */
  text: z.string(),
  reasoning: reasoningSchema,
  ballot: ballotSchema,
  /** Why it failed. */
  failure: failureSchema.exactOptional(),
  latencyMs: z.number(),
});
export type Review = z.infer<typeof reviewSchema>;

export const rankingSchema = z.object({
  /** Best first. Equal positions are ties. */
  places: z.array(
    z.object({
      sage: z.string(),
      /** Share of pairwise comparisons won, 0 to 1; a tie counts as half a win. */
      score: z.number(),
      /** 1 is best; tied sages share the better position. */
      position: z.number(),
      /** Mean place on the ballots that list it; absent if none does. */
      averagePosition: z.number().exactOptional(),
      /** How many ballots list it. */
      votes: z.number(),
    }),
  ),
  /** How many second ballots are counted in the shares; absent: no second vote. */
  secondBallots: z.number().exactOptional(),
  /** Mean Kendall tau over all pairs of ballots, -1 to 1; absent with fewer than two ballots. */
  agreement: z.number().exactOptional(),
  /** How many places higher authors ranked their own answer than the others did; absent without such votes. */
  selfPreference: z.number().exactOptional(),
});
export type Ranking = z.infer<typeof rankingSchema>;

/** How far the sages disagree: one word, and the numbers behind it. */
export const disagreementSchema = z.object({
  word: z.enum(['aligned', 'leaning', 'split']),
  /** How many complete ballots it was measured on, at least 3. */
  ballots: z.number(),
  /** Kendall's W of these ballots, 0 to 1. */
  concordance: z.number(),
  /** The largest share of first places of one answer, 0 to 1. */
  favourite: z.number(),
  /** Mean distance between the words of two answers, 0 (the same) to 1 (none in common). */
  distance: z.number(),
  /** How many contradictions stayed open; the word is then based on them. Absent: on the ballots. */
  openContradictions: z.number().exactOptional(),
});
export type Disagreement = z.infer<typeof disagreementSchema>;

/** A party's position after its rebuttal. */
export const positionSchema = z.enum(['held', 'amended', 'conceded']);
export type Position = z.infer<typeof positionSchema>;

/** The outcome of the docket at depth `deep`: its contradictions, and the points that only one answer made. */
const settlementSchema = z.object({
  /** In the order of the docket. */
  contradictions: z.array(
    z.object({
      topic: z.string(),
      /** A sage that wasn't asked for a rebuttal counts as `held`. */
      sides: z.array(z.object({ sage: z.string(), stance: z.string(), position: positionSchema })),
      /** `settled`: at most one stance is still held. */
      status: z.enum(['settled', 'open']),
      /** The chair's reason for its choice, or what would settle the contradiction. */
      why: z.string(),
    }),
  ),
  unique: z.array(
    z.object({
      sage: z.string(),
      point: z.string(),
      /** What the chair did with the point. `passed_over`: it didn't say. */
      fate: z.enum(['kept', 'dropped', 'passed_over']),
      why: z.string(),
    }),
  ),
  /** Where the verdict differs from the ballots or the positions, a sentence each. */
  caveats: z.array(z.string()),
});
export type Settlement = z.infer<typeof settlementSchema>;

/** A minority view, stored whether or not the chair repeats it. */
const dissentSchema = z.object({
  sage: z.string(),
  /** The support that the ballots show, in a sentence. */
  shown: z.string(),
  summary: z.string(),
});
export type Dissent = z.infer<typeof dissentSchema>;

export const verdictSchema = z.object({
  /** `synthesis`: written by the chair. `top_answer`: the chair failed, and a sage's answer replaces it. */
  kind: z.enum(['synthesis', 'top_answer']),
  /** The answer itself. */
  verdict: z.string(),
  consensus: z.array(z.string()),
  disagreements: z.array(z.string()),
  /** The strongest view that the verdict doesn't follow; empty if none. */
  minorityReport: z.string(),
  /** What the council couldn't know, and what would settle it; empty in turns of earlier versions. */
  unsettled: z.array(z.string()).default([]),
  confidence: z.enum(['low', 'medium', 'high']).exactOptional(),
  /** Which parts are certain and which aren't, in a sentence; absent in turns of earlier versions. */
  confidenceReason: z.string().exactOptional(),
  /** Questions that the person may want to ask next, at most three; absent: none. */
  nextQuestions: z.array(z.string()).exactOptional(),
  dissent: z.array(dissentSchema),
  /** Absent without a docket. */
  settlement: settlementSchema.exactOptional(),
  /** `provider:model` of the chair, or key of the sage for `top_answer`. */
  by: z.string(),
  /** What people must know about its origin, e.g. that the chair failed and why. */
  notice: z.string().exactOptional(),
  /** The chair's reasoning. */
  reasoning: reasoningSchema,
  latencyMs: z.number(),
});
export type Verdict = z.infer<typeof verdictSchema>;
