/** The chair's prompts, and the shape of its verdict. */

import { z } from 'zod';
import { longestNextQuestion, mostNextQuestions } from '../../domain/asking.ts';
import { fence, fenceRule } from '../../domain/fence.ts';
import type { Ranking, SageAnswer, Seat } from '../../domain/turn.ts';
import { listed, namesOf, oneLine } from '../../domain/words.ts';
import { asReadBy, type ChatMessage } from '../../models/chat-model.ts';
import { listOf, wordOf } from '../../models/structured.ts';
import type { Council, CouncilContext } from '../council.ts';
import { dangerRule, languageRule } from './moderator-prompt.ts';

export const verdictShape = {
  name: 'verdict',
  schema: z.object({
    verdict: z.string().trim().min(1),
    consensus: listOf(z.string()),
    disagreements: listOf(z.string()),
    minority_report: z.preprocess((written) => written ?? '', z.string()),
    unsettled: listOf(z.string()).default([]),
    confidence: wordOf(['low', 'medium', 'high']),
    confidence_reason: z.string().default(''),
    next_questions: listOf(z.string()).default([]),
  }),
};

const nextQuestionsRule = `"next_questions": up to ${mostNextQuestions} questions that this person may well want to ask you next, in their own voice and of at most ${longestNextQuestion} characters each; none where nothing follows.`;

/** An answer, cut for the prompt, with its seat and the reviewers' objections. */
export interface SeatedAnswer {
  readonly seat: Seat;
  readonly answer: SageAnswer;
  /** One line each. */
  readonly objections: readonly string[];
}

/** The most words of a verdict, and of the chair's own answer, which has the length of a direct one. */
export const maxWords = { verdict: 340, ownAnswer: 320 };

const textRule =
  'Where it asks for a text, such as a letter or a speech, write that text, ready to use, in the form and length that it needs; where it asks for advice, too, the limit is for the advice.';
const formRule = `in Markdown without headings, for a tired person on a phone: plain words, short sentences with one idea each, short paragraphs, a list where it is easier to take in. Where the question is mainly about a feeling, write as you would to a friend: no labels, no lists. ${textRule}`;

/** Builds the prompt for the chair's own answer, written before it sees the council's. */
export function ownAnswerMessages(
  question: string,
  council: Council,
  context: CouncilContext,
): readonly ChatMessage[] {
  const system = [
    'Answer the person who asks as well as you can, directly to them and in your own way. Answer every part of the question. Where it shows a feeling, meet that first, warmly. Where it rests on a false premise, say so first. Call an assumption an assumption.',
    `Write in Markdown, as for a chat: no preface, no headings, a table only if they ask for one. Where the question is mainly about a feeling, write as you would to a friend. ${textRule} Otherwise at most ${maxWords.ownAnswer} words, and fewer where fewer are enough.`,
    dangerRule,
    languageRule(council, 'your answer'),
    fenceRule,
  ].join('\n\n');
  return [
    { role: 'system', content: system },
    ...asReadBy(context.forChair, 'chair'),
    { role: 'user', content: fence('question', question) },
  ];
}

/** The council's material for the chair. */
export interface ChairMaterial {
  readonly answers: readonly SeatedAnswer[];
  /** What no answer considers, by the reviewers. */
  readonly missedByAll: readonly string[];
  /** Absent without a readable ballot. */
  readonly ranking: Ranking | undefined;
  /** The text that the verdict improves; empty if there is none. */
  readonly draft: string;
  /** The draft is the verdict of the turn that this one takes deeper. Absent: it is the chair's own answer. */
  readonly isDraftRead?: boolean;
}

/** Builds the prompt for the verdict. @param round - At depth `deep`: the docket, and the rule for settling it. */
export function chairMessages(
  question: string,
  material: ChairMaterial,
  council: Council,
  context: CouncilContext,
  round?: { readonly rule: string; readonly docket: string },
): readonly ChatMessage[] {
  const { answers, missedByAll, ranking, draft, isDraftRead = false } = material;
  const isAlone = answers.length === 0;
  const system = [
    'You are the chair of a council of sages. You write the one answer that the person who asked will read.',
    ...(isAlone ? [fromMemory] : draft === '' ? fromNothing : fromDraft(isDraftRead)),
    ...reviewed(material),
    'Weigh reasons, not votes: a view that stands alone may be the right one, and agreement among minds that are alike is weak evidence. The sages may be wrong, and so may you: check a figure or a claim before you use it. A sage that was asked to argue for an option does not thereby hold it. A figure that was neither given nor derived, and that you do not know for certain, is a guess: leave it out, or call it an assumption where it shows how a sum goes.',
    `Reply with one JSON object and nothing else: {"verdict": "…", "consensus": ["…"], "disagreements": ["…"], "minority_report": "…", "unsettled": ["…"], "confidence": "low|medium|high", "confidence_reason": "…"${council.suggestsNext ? ', "next_questions": ["…"]' : ''}}.`,
    `"verdict" is the answer itself, ${formRule} Otherwise at most ${maxWords.verdict} words. No talk of drafts, votes or how the council worked. Name a sage only where it matters whose thought it is, and only for what its answer says.`,
    isAlone ? 'The lists and texts besides stay empty, and "confidence" is "high".' : fieldsRule,
    ...(round ? [round.rule] : []),
    ...(council.suggestsNext ? [nextQuestionsRule] : []),
    `${dangerRule} All that people may look up besides then stays empty.`,
    languageRule(council, 'all of its texts'),
    fenceRule,
  ].join('\n\n');
  const shown = answers.flatMap(({ seat, answer, objections }) => {
    const whose = { sage: seat.sage.name };
    const asked = seat.focus === undefined ? whose : { ...whose, focus: seat.focus };
    const against = objections.length === 0 ? [] : [fence('objections', asList(objections), whose)];
    return [fence('answer', answer.answer, asked), ...against];
  });
  return [
    { role: 'system', content: system },
    ...asReadBy((isAlone && context.forChairAlone) || context.forChair, 'chair'),
    {
      role: 'user',
      content: [
        fence('question', question),
        ...(draft === '' ? [] : [fence('draft', draft)]),
        ...shown,
        ...(missedByAll.length === 0 ? [] : [fence('missed', asList(missedByAll))]),
        ...(ranking ? [fence('ranking', rankingText(answers, ranking))] : []),
        ...(round ? [fence('docket', round.docket)] : []),
      ].join('\n\n'),
    },
  ];
}

const unreadDraft =
  "Before you heard the council you answered the person yourself: that is the draft, which nobody else has seen. The council's answers stand beside it, each with the focus that it was given. Make your answer better, and keep it one answer.";
const readDraft =
  'From the answers that stand below, each with the focus that it was given, you have already written a verdict: that is the draft. The person has read it, and asked the council to look closer at where the answers contradict each other. Now make the verdict better, and keep it one answer that can be read alone; where it now says something else than before, say so and why.';

function fromDraft(isRead: boolean): readonly string[] {
  return [
    isRead ? readDraft : unreadDraft,
    [
      'Read the council against the draft and ask what would do this person the most good:',
      '- What in the draft does it show to be wrong, unsafe or overlooked? Mend it with what you can check, or take it out.',
      '- What did the draft miss that would change what the person does or believes: a cost or a person that was not counted, a better first step, a trap, the one question that decides? Put in the strongest one or two and no others, each where it belongs.',
      "- Is there a better course than the draft's? Then write it anew.",
      `Keep the rest of the draft as it is: its warmth, its order, its steps, and its worked sum where it decides something. Where an addition would make it longer than ${maxWords.verdict} words, cut the draft's least useful sentence. A point that can't be made in plain, whole sentences stays out, however clever: people can look it up. Then read it all once as that person would, and simplify or drop every sentence that makes them stop. Where the council adds nothing, the draft stands.`,
    ].join('\n'),
  ];
}

const fromNothing = [
  "The council's answers stand below, each with the focus that it was given. Write what would do this person the most good: what to do or believe, why, and what to do next, in the order in which to do it, with the two or three things of the council, no more, that one adviser alone would not have told them. Answer every part of the question. Where it shows a feeling, meet that first, warmly. Where it rests on a false premise, say so first.",
  'Decide. Do not average, and do not join everybody\'s conditions with "and".',
];

const fieldsRule =
  'People may look up the rest. Each list and text stays empty unless something belongs there: a sentence each, and only what neither the verdict nor another of these says: ' +
  '"consensus": what the sages unexpectedly agree on; that one who was asked to argue for an option says where it fails is no agreement. ' +
  '"disagreements": where two sages would have the person do or believe opposite things, who stands where, and why; the view in "minority_report" is not among them. ' +
  '"minority_report": the strongest view that the verdict does not follow, fairly put, with its author; if it was argued on request, say so. ' +
  '"unsettled": what nobody here could know and the verdict does not tell the person to find out, and what would settle it. ' +
  '"confidence": how sure the council can be of the verdict; "confidence_reason": what is sure in it and what is not, in one sentence.';

const fromMemory =
  'No sage was asked this time: the person wants something of what was said before. Give just that, and begin with it: the same in the form, length or language that they ask for, as the people have corrected it since; or who said what. Where “it” can mean several things, take what was said last of what fits. Add no new advice, and repeat nothing that they did not ask for. You can only write. What they said is forgotten when they delete their message, or with the command “/council memory forget”: where they want that, say so, and promise nothing.';

/** What the reviews have added. Nothing at depth `quick`, or if none could be read. */
function reviewed({ answers, missedByAll, ranking, draft }: ChairMaterial): readonly string[] {
  const added = [
    ...(answers.some(({ objections }) => objections.length > 0) ? ['their objections'] : []),
    ...(missedByAll.length > 0 ? ['what they miss in all of the answers'] : []),
    ...(ranking ? ['their ranking'] : []),
  ];
  if (added.length === 0) return [];
  const besideDraft =
    'They did not see the draft: what they find missing may be there already. Test every objection against it, too. ';
  return [
    `The sages reviewed the answers without knowing whose they were: you see ${listed(added)}. ${draft === '' ? '' : besideDraft}Check an objection before you use it: one that several raise is still one, and the ranking is one witness.`,
  ];
}

function asList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function rankingText(answers: readonly SeatedAnswer[], ranking: Ranking): string {
  const nameOf = namesOf(answers.map(({ seat }) => seat.sage));
  return [
    'Each reviewer put the answers in order without knowing whose they were. Best first, with the share of pairwise comparisons that each won:',
    ...ranking.places.map(
      ({ position, sage, score }) =>
        `${position}. ${oneLine(nameOf(sage))}: ${Math.round(score * 100)} %`,
    ),
    ...(ranking.agreement === undefined ? [] : [agreementInWords(ranking.agreement)]),
  ].join('\n');
}

/** @param agreement - Mean Kendall tau, -1 to 1. */
function agreementInWords(agreement: number): string {
  if (agreement >= 0.6) return 'The reviewers largely agree on this order.';
  if (agreement >= 0.2) return 'The reviewers agree on this order in part.';
  return 'The reviewers’ orders differ a lot, so small gaps between the shares mean nothing.';
}
