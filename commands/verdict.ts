/** The commands that post, share, rate and explain a verdict. */

import { z } from 'zod';
import type { PastTurn } from '../src/council/past-turn.ts';
import { english } from '../src/domain/languages/english.ts';
import { ratings } from '../src/domain/stored-turn.ts';
import type { Review } from '../src/domain/turn.ts';
import {
  ballotInWords,
  contradictionLines,
  criteriaNote,
  docketSentence,
  placeInWords,
  rebuttalInWords,
  reviewInWords,
  shareBar,
  uniqueLines,
  winnerMark,
} from '../src/domain/turn-words.ts';
import { inlineMarkdown, namesOf } from '../src/domain/words.ts';
import { type ReplyBlock, textReply, turnOption } from './command.ts';
import { councilCommand } from './context.ts';
import { seatedHow } from './receipt.ts';

/** `/council post`: posts a verdict to the channel of its thread. For the person who asked and managers. */
export const post = councilCommand({
  name: 'post',
  description: 'Post the verdict of this thread to its channel',
  options: { turn: turnOption() },
  async run(context, { turn }) {
    await context.post(turn);
    return textReply('The verdict is in the channel now.');
  },
});

/** `/council share`: makes or withdraws a public link to a turn. For the person who asked and managers. */
export const share = councilCommand({
  name: 'share',
  description: 'Get a link to a page of the last verdict, for anyone you give it to',
  options: {
    turn: turnOption(),
    do: z.enum(['make', 'withdraw']).optional().describe('make a link, or withdraw it'),
  },
  async run(context, { turn, do: what = 'make' }) {
    if (what === 'withdraw') {
      await context.unshare(turn);
      return textReply('The link leads to nothing now.');
    }
    const link = await context.share(turn);
    return textReply(
      `${link}\nAnyone with this link can read the question, the answers, the reviews and the verdict, without who asked. \`share\` with \`do: withdraw\` ends that.`,
    );
  },
});

/** `/council feedback`: rates a verdict. The rating is stored with the turn and shown in its receipt. */
export const feedback = councilCommand({
  name: 'feedback',
  description: 'Rate the last verdict; the receipt shows the rating',
  options: {
    rating: z.enum(ratings).describe('Was it useful? good or bad'),
    turn: turnOption(),
  },
  async run(context, { rating, turn }) {
    await context.rate(turn, rating);
    return textReply(
      'Thank you. Your rating is saved with the answer, and you can change it at any time.',
    );
  },
});

type NameOf = (sage: string) => string;

/** `/council reviews`: shows the reviews and their ballots, or why the sages sat. */
export const reviews = councilCommand({
  name: 'reviews',
  description: 'What the sages said about each other’s answers, or why they sat',
  showsTurns: true,
  options: {
    show: z
      .enum(['reviews', 'seats'])
      .optional()
      .describe('the reviews with their ballots, or why these sages sat'),
    turn: turnOption(),
  },
  async run(context, { show = 'reviews', turn }) {
    const { past } = await context.turn(turn);
    const nameOf = namesOf(past.seated?.seats.map(({ sage }) => sage) ?? []);
    return { isPrivate: true, blocks: views[show](past, nameOf) };
  },
});

const views = { reviews: reviewBlocks, seats: seatBlocks };

function reviewBlocks(past: PastTurn, nameOf: NameOf): readonly ReplyBlock[] {
  if (past.reviews.length === 0) {
    return [{ type: 'text', text: 'The sages didn’t review each other in this turn.' }];
  }
  return [
    ...past.reviews.flatMap((review) => oneReview(review, nameOf)),
    ...roundBlocks(past, nameOf),
    ...rankingBlocks(past, nameOf),
  ];
}

function oneReview(review: Review, nameOf: NameOf): readonly ReplyBlock[] {
  const { reviewer, failure, labels } = review;
  const inText: NameOf = (sage) => inlineMarkdown(nameOf(sage));
  const text = failure?.explanation ?? reviewInWords(review, inText);
  // Some reviewers write just “B”, which means nothing without the key.
  const said = new Set(text.split(/[^\p{L}\p{N}]+/u));
  const isKeyNeeded = labels.some(({ label }) => said.has(label));
  const key = labels.map(({ label, sage }) => `${label}: ${inText(sage)}`).join(', ');
  return [
    {
      type: 'text',
      text: `## Review by ${inText(reviewer)}${isKeyNeeded ? `\n${key}` : ''}`,
    },
    { type: 'text', text },
    {
      type: 'fields',
      fields: [{ name: 'Ballot as read', value: ballotInWords(review, nameOf) }],
    },
  ];
}

/** For depth `deep`: the contradictions, the rebuttals and the second ballots. */
function roundBlocks({ round, verdict, answers }: PastTurn, nameOf: NameOf): readonly ReplyBlock[] {
  if (!round) return [];
  const names = { nameOf: (sage: string) => inlineMarkdown(nameOf(sage)), inert: inlineMarkdown };
  const { docket, rebuttals, recasts } = round;
  const said = [
    docketSentence(docket, answers.filter(({ status }) => status === 'answered').length, names),
    ...contradictionLines(docket, names).flatMap(({ topic, sides }) => [
      `**${topic}**`,
      ...sides.map((side) => `- ${side}`),
    ]),
    ...rebuttals.map((one) => `- ${rebuttalInWords(one, names)}`),
  ];
  const alone = verdict?.settlement ? uniqueLines(verdict.settlement, names) : [];
  const pointsAlone = `## Said by one alone\n${alone.map((one) => `- ${one}`).join('\n')}`;
  const fields = recasts.map((ballot) => ({
    name: `Second ballot of ${nameOf(ballot.reviewer)}`,
    value: ballotInWords(ballot, nameOf),
  }));
  return [
    { type: 'text', text: `## Rebuttal\n${said.join('\n')}` },
    ...(alone.length > 0 ? [{ type: 'text', text: pointsAlone } as const] : []),
    ...(recasts.length > 0 ? [{ type: 'fields', fields } as const] : []),
  ];
}

function rankingBlocks({ ranked, reviews }: PastTurn, nameOf: NameOf): readonly ReplyBlock[] {
  const places = ranked?.ranking.places ?? [];
  if (places.length === 0) return [];
  const judgedBy = ranked ? criteriaNote(ranked).map(inlineMarkdown) : [];
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const fields = places.map((place) => ({
    name: `${place.position}. ${nameOf(place.sage)}${place.position === 1 ? ` ${winnerMark}` : ''}`,
    value: `\`${shareBar(place.score)}\` · ${placeInWords(place, ballots)}`,
  }));
  return [
    { type: 'text', text: ['## Ranking', english.bars, ...judgedBy].join('\n') },
    { type: 'fields', fields },
  ];
}

function seatBlocks({ seated }: PastTurn): readonly ReplyBlock[] {
  if (!seated) return [{ type: 'text', text: 'No sages sat in this turn.' }];
  const { seats, dropped, how, note } = seated;
  return [
    { type: 'text', text: [seatedHow(how, seats.length), note].filter(Boolean).join(' ') },
    {
      type: 'fields',
      fields: [
        ...seats.map(({ sage, focus, model }) => ({
          name: sage.name,
          value: [sage.description, ...(focus ? [`Also asked: ${focus}`] : []), model].join('\n'),
        })),
        ...dropped.map(({ name, why }) => ({ name: `Not seated: ${name}`, value: why })),
      ],
    },
  ];
}
