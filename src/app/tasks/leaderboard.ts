/** The task `leaderboard --json`: how sages or models have fared, for programs. */

import { dayMs } from '../../../commands/leaderboard.ts';
import { scoredTurnsIn } from '../../bot/places/turns-of-place.ts';
import { effectiveVoices, leaderboardOf } from '../../council/leaderboard.ts';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import { PendingForgetting, visibleStore } from '../../memory/forgetting/visible-store.ts';
import { writeJson } from '../../platforms/terminal/plain-text.ts';
import { lastThread, openLog, type Surroundings, threadNamed } from '../session.ts';
import { openStore } from '../store.ts';
import type { Task } from './task.ts';

/** @returns 0. */
export async function leaderboardTask(
  around: Surroundings,
  { thread, by, scope, days }: Extract<Task, { task: 'leaderboard' }>,
): Promise<number> {
  const whole = await openStore(around.config, openLog(around, true));
  try {
    const store = visibleStore(whole, new PendingForgetting(whole));
    const threadId = thread === undefined ? await lastThread(store) : threadNamed(thread);
    const since = Date.now() - days * dayMs;
    const turns = await scoredTurnsIn(store.turns, { threadId }, { reach: scope, since });
    const place = scope === 'channel' ? channelOf(threadId) : workspaceOf(threadId);
    const voices = effectiveVoices(turns);
    writeJson(around.output, {
      ...{ place, days, ...leaderboardOf(turns, by) },
      ...(voices ? { voices } : {}),
    });
    return 0;
  } finally {
    await whole.close();
  }
}
