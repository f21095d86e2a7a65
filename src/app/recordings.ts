/** Reads recorded councils from their files and stores them, so that commands show them like any other turn. */

import { readFileSync } from 'node:fs';
import { finishedStep, type PastTurn, replayTurn } from '../council/past-turn.ts';
import { type RecordedTurn, recordedTurn, recordingSchema } from '../council/recording.ts';
import { answerContent, type Ended } from '../domain/stored-turn.ts';
import type { ExportedTurn } from '../memory/export/export.ts';
import { importThreads } from '../memory/export/import-threads.ts';
import { readYaml } from '../settings/config-source.ts';
import type { Store } from '../store/store.ts';

/** Files in `recordings/`, in the order in which they are offered. */
export const recordingNames = ['career', 'car', 'rewrite', 'father'] as const;

/** Reads a recording. Throws a `ZodError` if its file is not a valid council. */
export function readRecording(name: string): RecordedTurn {
  const path = `${import.meta.dirname}/../../recordings/${name}.yaml`;
  const recording = recordingSchema.parse(readYaml(path, readFileSync(path, 'utf8')).data);
  return recordedTurn(name, recording, Date.now());
}

/** Stores a recorded turn unless it is stored already. Throws the store's errors. */
export async function storeRecording(store: Store, turn: RecordedTurn): Promise<void> {
  const options = { onProgress: () => undefined, onNew: async () => undefined };
  const { threadId } = turn.request;
  const thread = { threadId, turns: [exportedTurn(turn)], messages: [] };
  await importThreads(store, { threads: [thread] }, options);
}

/** A whole turn that this bot did not run, recorded or imported. */
type WholeTurn = Pick<PastTurn, 'request' | 'answers' | 'reviews' | 'ranked' | 'verdict'> &
  Pick<Required<PastTurn>, 'seated'>;

/** Converts a whole turn to the form of an export. @param failed - Why the turn failed, for people; absent if it was answered. */
export function exportedTurn(turn: WholeTurn, failed?: string): ExportedTurn {
  const { turnId, author, question, askedAt, isPrivate } = turn.request;
  const questionId = `${turnId}:question`;
  const ended: Ended = { explanation: failed ?? '', stagesMs: {}, interactionsRemembered: 0 };
  const common = { turnId, createdAt: askedAt, ...(isPrivate !== undefined && { isPrivate }) };
  return {
    turnId,
    createdAt: askedAt,
    endedAt: askedAt,
    request: turn.request,
    outcome: failed === undefined ? 'answered' : 'failed',
    messages: [
      {
        ...common,
        id: questionId,
        role: 'human',
        type: 'user_query',
        author: author.name,
        content: { type: 'user_query', text: question },
      },
      ...turn.answers.map((answer) => ({
        ...common,
        id: `${turnId}:${answer.sage}`,
        sage: answer.sage,
        parentId: questionId,
        role: 'ai' as const,
        type: 'sage_output' as const,
        content: answerContent(answer),
      })),
    ],
    steps: [
      ...replayTurn(turn).flatMap((event) => finishedStep(event) ?? []),
      { kind: 'ended', key: '', data: ended },
    ],
  };
}
