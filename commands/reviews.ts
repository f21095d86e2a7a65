import { z } from 'zod';
import { type PastTurn, readPastTurn } from '../src/council/past-turn.ts';
import { ballotInWords, placeInWords } from '../src/domain/ballot-words.ts';
import type { Review } from '../src/domain/turn.ts';
import { namesOf } from '../src/domain/words.ts';
import { type Command, type ReplyBlock, turnId } from './command.ts';
import { type CommandContext, noSuchTurn } from './context.ts';

const options = z.object({
  show: z
    .enum(['reviews', 'seats'])
    .optional()
    .describe('reviews as written, each with its ballot as read; or why these sages sat'),
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
});

type NameOf = (sage: string) => string;

/** `/council reviews`: what the sages said of each other, how it was counted, and why they sat. */
export const reviews: Command<CommandContext> = {
  name: 'reviews',
  description: 'What the sages wrote of each other, each ballot as read, or why they sat',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { show = 'reviews', turn } = options.parse(given);
    const record = await context.turn(turn);
    if (!record) throw noSuchTurn(turn);
    const past = readPastTurn(record);
    const nameOf = namesOf(past.seated?.seats.map(({ sage }) => sage) ?? []);
    return { isPrivate: true, blocks: views[show](past, nameOf) };
  },
};

const views = { reviews: reviewBlocks, seats: seatBlocks };

const noReviews: readonly ReplyBlock[] = [
  { type: 'text', text: 'The sages did not review each other in this turn.' },
];

/** The labels come first: without them, “Response A” would mean nothing. */
function reviewBlocks(past: PastTurn, nameOf: NameOf): readonly ReplyBlock[] {
  if (past.reviews.length === 0) return noReviews;
  return [
    ...past.reviews.flatMap((review): readonly ReplyBlock[] => [
      {
        type: 'text',
        text: `## Review by ${nameOf(review.reviewer)}\n${labelText(review, nameOf)}`,
      },
      { type: 'text', text: review.failure?.explanation ?? review.text },
      {
        type: 'fields',
        fields: [{ name: 'Ballot as read', value: ballotInWords(review, nameOf) }],
      },
    ]),
    ...rankingBlocks(past, nameOf),
  ];
}

function rankingBlocks({ ranked }: PastTurn, nameOf: NameOf): readonly ReplyBlock[] {
  const places = ranked?.ranking.places ?? [];
  if (places.length === 0) return [];
  const fields = places.map((place) => ({
    name: `${place.position}. ${nameOf(place.sage)}`,
    value: placeInWords(place),
  }));
  return [
    { type: 'text', text: '## Ranking' },
    { type: 'fields', fields },
  ];
}

function labelText({ labels }: Review, nameOf: NameOf): string {
  return labels.map(({ label, sage }) => `${label}: ${nameOf(sage)}`).join(', ');
}

const howSeated = {
  moderated: 'The moderator chose these sages for the question.',
  fixed: 'These sages always sit here, by the settings.',
  addressed: 'The person who asked named them.',
  fallback: 'The fallback council sat.',
};

function seatBlocks({ seated }: PastTurn): readonly ReplyBlock[] {
  if (!seated) return [{ type: 'text', text: 'Nobody was seated in this turn.' }];
  return [
    { type: 'text', text: [howSeated[seated.how], seated.note].filter(Boolean).join(' ') },
    {
      type: 'fields',
      fields: [
        ...seated.seats.map(({ sage, focus, model }) => ({
          name: sage.name,
          value: [sage.description, ...(focus ? [`Asked besides: ${focus}`] : []), model].join(
            '\n',
          ),
        })),
        ...seated.dropped.map(({ name, why }) => ({ name: `Not seated: ${name}`, value: why })),
      ],
    },
  ];
}
