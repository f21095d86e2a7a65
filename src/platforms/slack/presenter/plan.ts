/** How far a turn is, as Slack's own plan: a task for the seating, for each sage, for the reviews and for the verdict. */

import type { types } from '@slack/bolt';
import type { TurnStage } from '../../../council/events.ts';
import { firstCharacters } from '../../../domain/words.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import { seatWords } from '../../chat/show/progress-words.ts';
import { type SeatState, seatState } from '../../chat/show/turn-progress.ts';
import type { Block } from './blocks.ts';
import { nameOf } from './persona.ts';

type TaskStatus = types.TaskCardBlock['status'];

/** Slack names no bound; this is that of the same text in a stream. */
const longestTitle = 256;

const statuses: Readonly<Record<SeatState['doing'], TaskStatus>> = {
  waiting: 'pending',
  thinking: 'in_progress',
  answering: 'in_progress',
  answered: 'complete',
  stopped: 'error',
  failed: 'error',
};

const deepStages: readonly (TurnStage | undefined)[] = ['docket', 'rebuttals', 'second_ballots'];

/** @param title - What is read while the plan is folded. */
export function planBlock(title: string, { progress, personas }: ShownTurn): Block {
  const { stage, seats, seated, reviewers, docket, verdict } = progress;
  const sages = seats.map(({ sage }) => {
    const state = seatState(progress, sage.key);
    const said = `${nameOf(sage.key, personas)} ${seatWords(state)}`;
    return task(`sage ${sage.key}`, said, statuses[state.doing]);
  });
  const isReviewing = stage === 'reviews';
  const isWeighing = stage === 'verdict';
  return {
    type: 'plan',
    title: firstCharacters(title, longestTitle),
    tasks: [
      task('seating', 'The moderator chooses who sits', seated ? 'complete' : 'in_progress'),
      ...sages,
      ...(isReviewing || reviewers.length > 0
        ? [task('reviews', 'The sages review each other', isReviewing ? 'in_progress' : 'complete')]
        : []),
      ...(deepStages.includes(stage) || docket
        ? [
            task(
              'rebuttals',
              'Where answers contradict each other, their sages are asked once more',
              deepStages.includes(stage) ? 'in_progress' : 'complete',
            ),
          ]
        : []),
      ...(isWeighing
        ? [task('verdict', 'The chair weighs it all', verdict ? 'complete' : 'in_progress')]
        : []),
    ],
  };
}

function task(id: string, title: string, status: TaskStatus): types.TaskCardBlock {
  return { type: 'task_card', task_id: id, title: firstCharacters(title, longestTitle), status };
}
