/** The turn's one edited message: its progress, as Slack's own plan where Slack accepts one. */

import type { types } from '@slack/bolt';
import type { Seat } from '../../../domain/turn.ts';
import { firstCharacters } from '../../../domain/words.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import {
  progressSentence,
  seatsInWords,
  seatWords,
  stepOf,
} from '../../chat/show/progress-words.ts';
import { type SeatState, seatState } from '../../chat/show/turn-progress.ts';
import { shortName } from '../../chat/text/visible-text.ts';
import { type MessageBody, updateMessage } from '../api/messages.ts';
import { escapeSlackText } from '../slack-text.ts';
import {
  type Block,
  bold,
  button,
  buttonRow,
  drawnOrInText,
  link,
  paragraphs,
  type RichTextPart,
  smallPrint,
  words,
} from './blocks.ts';
import { nameOf } from './persona.ts';
import { longestReason, rankingBlocks } from './turn-messages.ts';
import { firstPart, type TurnContext, type TurnPoster } from './turn-poster.ts';

const longestExplanation = 1500;
/** Including the last edit. Edits are scarce, and a turn has more events than this. */
const maxEdits = 8;
/** The status line shows the seating meanwhile; the saved edits are left to turns that end. */
const quietMs = 3000;

export type ProgressMessage = Awaited<ReturnType<typeof openProgress>>;

/** Posts the message unless it exists. Rejects with Slack's refusal. */
export async function openProgress(first: ShownTurn, context: TurnContext, poster: TurnPoster) {
  const { patientApi, pacer, log, place, posts, turnId, signal } = context;
  const { channel } = place;
  const known = poster.known(firstPart);
  const shown = known === undefined ? progressMessage(first) : { text: '', blocks: [] };
  const ts = known ?? (await poster.send(firstPart, shown));
  let count = 0;
  const edits = pacer.edits<MessageBody>({
    destination: { thread: `${channel} ${ts}`, channel },
    kindOf: (isLast) => (isLast ? 'last_edit' : 'edit'),
    signal,
    quietMs,
    shown,
    edit: async (body) => {
      count += 1;
      await drawnOrInText(body.blocks, context, (blocks) =>
        updateMessage(patientApi, place, ts, { ...body, blocks }),
      );
    },
    onEditFailed: (error) => {
      posts.missEdit(error);
      log.warn({ turnId, error }, 'a progress message could not be edited');
    },
  });
  return {
    show(turn: ShownTurn): void {
      if (count < maxEdits - 1) edits.show(progressMessage(turn));
    },
    /** @param verdictUrl - Web address of the verdict, if there is one. */
    finish: (turn: ShownTurn, verdictUrl: string | undefined) =>
      edits.finish(progressMessage(turn, verdictUrl)),
  };
}

/** A plan until the turn ends, then text. @param verdictUrl - Web address of the verdict, once there is one. */
export function progressMessage(state: ShownTurn, verdictUrl?: string): MessageBody {
  const { turnId, progress, notes } = state;
  return {
    text: escapeSlackText(sentenceOf(state)),
    blocks: [
      progress.end ? paragraphs(ending(state, verdictUrl)) : planBlock(sentenceOf(state), state),
      // Once there is a verdict, the ranking is shown below that.
      ...(progress.verdict ? [] : rankingBlocks({ ...state, ranked: progress.ranked }, 'text')),
      ...smallPrint(notes),
      ...(progress.end
        ? []
        : buttonRow([button(state.words.stop, { kind: 'stop', turnId }, 'danger')])),
    ],
  };
}

function sentenceOf({ progress, personas, words: own }: ShownTurn): string {
  return progressSentence(progress, ({ sage }: Seat) => nameOf(sage.key, personas), own);
}

function ending(state: ShownTurn, verdictUrl: string | undefined): readonly RichTextPart[] {
  const { progress, personas, words: own } = state;
  const { outcome, explanation: why = '' } = progress.end ?? {};
  // The sentence already says that the turn was stopped.
  const explanation = outcome === 'stopped' ? '' : shortName(why, longestExplanation);
  const seats = seatsInWords(
    progress,
    (sage) => nameOf(sage, personas),
    (reason) => shortName(reason, longestReason),
    own,
  );
  return [
    bold(sentenceOf(state)),
    words(explanation === '' ? '' : ` ${explanation}`),
    ...(verdictUrl === undefined ? [] : [words(' '), link(own.readVerdict, verdictUrl)]),
    words(seats === '' ? '' : `\n${seats}`),
  ];
}

type TaskStatus = types.TaskCardBlock['status'];

/** Slack documents no limit; this is the one for the same text in a stream. */
const longestTitle = 256;

const statuses: Readonly<Record<SeatState['doing'], TaskStatus>> = {
  waiting: 'pending',
  thinking: 'in_progress',
  answering: 'in_progress',
  answered: 'complete',
  stopped: 'error',
  failed: 'error',
};

/** A task each for the seating, every sage, the reviews, the rebuttals and the verdict. @param title - Shown while the plan is folded. */
function planBlock(title: string, { progress, personas, words: own }: ShownTurn): Block {
  const { stage, seats, seated, reviewers, docket, verdict } = progress;
  const sages = seats.map(({ sage }) => {
    const state = seatState(progress, sage.key);
    const said = `${nameOf(sage.key, personas)} ${seatWords(state, own)}`;
    return task(`sage ${sage.key}`, said, statuses[state.doing]);
  });
  const step = (id: string, said: string, isOn: boolean, isOver: boolean) =>
    isOn || isOver ? [task(id, said, isOn ? 'in_progress' : 'complete')] : [];
  const isDeep = stage !== undefined && stepOf[stage] === 'Dispute';
  return {
    type: 'plan',
    title: firstCharacters(title, longestTitle),
    tasks: [
      task('seating', own.seated, seated ? 'complete' : 'in_progress'),
      ...sages,
      ...step('reviews', own.reviews, stage === 'reviews', reviewers.length > 0),
      ...step('rebuttals', own.inDispute, isDeep, docket !== undefined),
      ...(stage === 'verdict'
        ? [task('verdict', own.verdict, verdict ? 'complete' : 'in_progress')]
        : []),
    ],
  };
}

function task(id: string, title: string, status: TaskStatus): types.TaskCardBlock {
  return { type: 'task_card', task_id: id, title: firstCharacters(title, longestTitle), status };
}
