/** The council's own words in the posts of a turn, in English, and what the other languages must have. */

import type { FailureReason } from '../failure.ts';
import { counted } from '../words.ts';

/** Numbers arrive written in the language. Names, reasons and quotations arrive safe to show. */
const inEnglish = {
  /** A BCP 47 tag, for numbers and lists of names. */
  locale: 'en',
  /** How the setting `language` names it, in lower case. */
  names: ['english'],
  /** By which a question is recognised, in lower case: frequent words that few other languages here have. */
  frequent:
    'the and are what which who how why when where should would could can does did you my our your it this that for with from or not be have has if better any there these than into about buy sell rent worth tell think explain translate please was they them she were been need good best more much some know never always right wrong',
  /** Between a subject and what is said of it, and between two sentences. */
  colon: ': ',
  period: '. ',
  verdict: 'Verdict',
  topAnswer: 'Top-ranked answer, not a verdict',
  consensus: 'Consensus',
  disagreements: 'Disagreements',
  inDispute: 'In dispute',
  stillOpen: 'Still open',
  minorityReport: 'Minority report',
  dissent: 'Dissent',
  firstChoice: (name: string, place: number, voters: string) =>
    `${name} came in at number ${place} but was the first choice of ${voters}.`,
  /** Above a verdict. What failed is told in a sentence of its own. */
  stoodIn: (by: string, chair: string) => `${by} took the chair in place of ${chair}.`,
  onlyVerdict: (why: string) => `Only the verdict itself came: ${why}`,
  verdictCutOff: 'The verdict is cut off: the chair reached its output limit.',
  verdictUnshaped: 'The chair did not reply in the agreed form; its text is shown as it is.',
  /** @param place - One of the three below. */
  noVerdict: (chair: string, why: string, name: string, place: string) =>
    `The chair (${chair}) failed: ${why} This is not a verdict of the council, but the answer of ${name}, ${place}.`,
  placedFirst: 'which the reviewers placed first',
  tiedFirst: (names: string) => `which the reviewers placed first in a tie with ${names}`,
  seatedFirst: 'the first that was seated, as no ranking was held',
  decidesOpen: (topic: string, names: string) =>
    `The chair decides “${topic}”, and ${names} still hold different views on it.`,
  followsLower: (topic: string, followed: string, best: string) =>
    `On “${topic}” the verdict follows ${followed}; the ballots put ${best} ahead.`,
  /** Before one of the `confidences`. */
  confidence: 'Confidence: ',
  confidences: { low: 'low', medium: 'medium', high: 'high' },
  /** Before an `agreement`. */
  sages: 'Sages: ',
  /** The same, if only their ballots show it: who ranks alike may still disagree on the matter. */
  sagesByBallots: 'Sages, by their ballots: ',
  agreement: { aligned: 'aligned', leaning: 'mostly aligned', split: 'split' },

  ranking: (ballots: number) => `Ranking by ${counted(ballots, 'blind ballot')}`,
  afterRebuttal: (ballots: number) => ` and ${ballots} after the rebuttal`,
  averagePlace: (place: string) => `average place ${place}`,
  onBallots: (votes: number, ballots: number) =>
    `on ${votes === 0 ? 'no ballot' : `${votes} of ${ballots} ballots`}`,
  bars: 'The bars show how often sages who saw no names ranked each answer above another.',
  whoAgreed: 'Who agreed with whom',
  alike: 'How many pairs of answers two sages put in the same order.',
  judgedBy: (criteria: string) => `Judged by: ${criteria}`,
  noReview: (name: string, why: string) => `No review by ${name}: ${why}`,
  noVote: (name: string, why: string) => `The review by ${name} does not count as a vote: ${why}`,
  oneModel: 'One model spoke for all of them, so their agreement is weak evidence.',
  oneFamily: (family: string) =>
    `Models of one family (${family}) spoke for all of them, so their agreement is weaker evidence.`,

  unclearDispute: (why: string) =>
    `The contradictions could not be determined, so no sage is asked again: ${why}`,
  noDispute: (savedCalls: number) =>
    `No two answers contradict each other, so no sage is asked again. That saves up to ${savedCalls} calls.`,
  dispute: (names: string) =>
    `The answers contradict each other. ${names} are asked once more; then all vote again, in secret.`,
  /** Follow a name. */
  position: { held: 'holds', amended: 'amends its answer', conceded: 'concedes' },
  takesBack: (quote: string) => ` It takes back “${quote}”.`,
  emptyChange: (name: string) =>
    `${name} would change its answer but names no flaw in it, and counts as holding.`,
  stillDisagree: 'the sages still disagree',
  settled: 'settled',

  answered: (done: number, all: number) => `${done} of ${all} answered`,
  failed: (count: number) => `${count} failed`,
  stopped: (count: number) => `${count} stopped`,
  waitingFor: (names: string) => `waiting for ${names}`,
  reviewing: (done: number, all: number) =>
    `The sages are reviewing each other blind: ${done} of ${all} done.`,
  checking: 'The answers are being checked for contradictions.',
  rebutting: (done: number, all: number) =>
    `Sages who contradict each other are answering again: ${done} of ${all} done.`,
  voting: (done: number, all: number) => `The sages vote again, in secret: ${done} of ${all} done.`,
  writing: 'The chair is writing the verdict.',
  couldNotAnswer: 'The council could not answer.',
  hasAnswered: 'The council has answered.',
  /** Follow a name. */
  seat: {
    waiting: 'is waiting',
    thinking: 'is thinking',
    answering: 'is answering',
    stopped: 'was stopped',
    failed: 'failed',
  },
  /** Follow a colon. The other languages have the commonest; for the rest, a seat says only that it failed. */
  failures: {
    key_rejected: 'the key was rejected',
    payment_required: 'the credit is used up',
    model_not_found: 'the model does not exist',
    wrong_address: 'no model server at its address',
    bad_request: 'the model refused the request',
    rate_limited: 'too many requests',
    server_error: 'the server had an error',
    unreachable: 'the server gave no answer',
    timed_out: 'it took too long',
    broken_stream: 'the answer broke off',
    refused: 'the model refused to answer',
    context_too_long: 'it was too much to read',
    output_limit: 'it ran out of room to answer',
    empty: 'the answer was empty',
    late: 'the others had already finished',
    stopped: 'it was stopped',
  },
  answeredIn: (seconds: number) => `answered in ${seconds} s`,
  /** These, and `status`, follow the name of the app. */
  isSeating: (names: string) => `is seating ${names}…`,
  isHearing: (names: string) => `is hearing ${names}…`,
  status: {
    seating: 'is seating the sages…',
    reviews: 'is reviewing the answers…',
    docket: 'is looking for contradictions…',
    rebuttals: 'is hearing the parties again…',
    second_ballots: 'is voting again…',
    verdict: 'is weighing it all…',
  },

  stop: 'Stop',
  readCouncil: 'Read the whole council',
  readVerdict: 'Read the verdict',
  receipt: 'Receipt',
  reviews: 'Reviews and ballots',
  whySages: 'Why these sages',
  deeper: 'Go deeper',
  post: 'Post to the channel',
  again: 'Ask one sage again …',
  good: 'Good verdict',
  bad: 'Bad verdict',

  followUp: {
    direct: 'Just write to ask a follow-up.',
    mention: 'Mention me here to ask a follow-up.',
    asked: 'Ask a question in the thread to follow up.',
    everything: 'Every message in the thread is a follow-up.',
    oneSage: 'To hear one sage alone, start with its name.',
    oneSageOrReply: 'To hear one sage alone, start with its name or reply to it.',
  },
  depth: (depth: string) => `Depth ${depth}, chosen by the moderator.`,
  askedAgain: (names: string) => `Asked again since: ${names}.`,
  posted: 'Posted to the channel.',
  deepens: (person: string) => `${person} goes deeper into an earlier verdict.`,
  suggested: (person: string) => `${person} asks what the verdict suggested.`,
  asksAgain: (person: string, sage: string) =>
    `${person} asks ${sage} again. The earlier answer stays, and is not shown to this sage.`,
  wholeQuestion: 'The whole question',
  onlyBeginning: 'Only the beginning; the file has all of it.',
  stoppedHere: 'Stopped here.',
  brokeOff: 'It broke off here',
  withdrawn: 'This question was withdrawn.',
  seated: 'The council is being seated.',
  /** @param ahead - At least 1. */
  queued: (ahead: number) =>
    `Queued: ${ahead === 1 ? 'one question is' : `${ahead} questions are`} ahead of yours.`,
};

export interface TurnWords extends Omit<typeof inEnglish, 'failures'> {
  readonly failures: Readonly<Partial<Record<FailureReason, string>>>;
  /** Words of no other language here, nor of its neighbours: one is enough. */
  readonly sure?: string;
  /** A regular expression; each match in a question counts like one of the `frequent` words. */
  readonly letters?: string;
}

export const english: TurnWords = inEnglish;
