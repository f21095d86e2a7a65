/** The recorded councils: read from their files, and kept in the store so that they are looked at like any other turn. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TurnStep } from '../council/past-turn.ts';
import { type RecordedTurn, recordedTurn, recordingSchema } from '../council/recording.ts';
import { answerContent, type Ended, type Ranked } from '../domain/stored-turn.ts';
import type { Review, SageAnswer, Seated, TurnRequest, Verdict } from '../domain/turn.ts';
import type { ExportedTurn } from '../memory/export/export.ts';
import { importThreads } from '../memory/export/import-threads.ts';
import { readYaml } from '../settings/config-source.ts';
import type { Store } from '../store/store.ts';

/** In the order in which they are offered; each is a file in `recordings/`. */
export const recordingNames = ['career', 'car', 'rewrite', 'father'] as const;

const folder = new URL('../../recordings/', import.meta.url);

/** Reads one. Throws a `ZodError` when its file is not what a council could have said. */
export function readRecording(name: string): RecordedTurn {
  const path = fileURLToPath(new URL(`${name}.yaml`, folder));
  const recording = recordingSchema.parse(readYaml(path, readFileSync(path, 'utf8')).data);
  return recordedTurn(name, recording, Date.now());
}

/** Keeps a recorded turn in the store, unless it is there. Throws what the store throws. */
export async function keepRecording(store: Store, turn: RecordedTurn): Promise<void> {
  const options = { onProgress: () => undefined, onNew: async () => undefined };
  const { threadId } = turn.request;
  const thread = { threadId, turns: [exportedTurn(turn)], messages: [] };
  await importThreads(store, { threads: [thread] }, options);
}

/** A whole turn that this bot did not run: recorded, or imported. */
export interface WholeTurn {
  readonly request: TurnRequest;
  readonly seated: Seated;
  readonly answers: readonly SageAnswer[];
  readonly reviews: readonly Review[];
  readonly ranked?: Ranked;
  readonly verdict?: Verdict;
}

/** The same in the form of an export. @param failed - Why nothing came of it, for people; absent: it was answered. */
export function exportedTurn(turn: WholeTurn, failed?: string): ExportedTurn {
  const { turnId, author, question, askedAt, isPrivate } = turn.request;
  const asked = `${turnId}:question`;
  const common = { turnId, createdAt: askedAt, ...(isPrivate !== undefined && { isPrivate }) };
  return {
    ...{ turnId, createdAt: askedAt, endedAt: askedAt, request: turn.request },
    outcome: failed === undefined ? 'answered' : 'failed',
    messages: [
      {
        ...{ ...common, id: asked, role: 'human', type: 'user_query', author: author.name },
        content: { type: 'user_query', text: question },
      },
      ...turn.answers.map((answer) => ({
        ...{ ...common, id: `${turnId}:${answer.sage}`, sage: answer.sage, parentId: asked },
        ...({ role: 'ai', type: 'sage_output' } as const),
        content: answerContent(answer),
      })),
    ],
    steps: [...stepsOf(turn, failed ?? '')],
  };
}

/** What is stored of it beside question and answers. */
function stepsOf({ seated, reviews, ranked, verdict }: WholeTurn, explanation: string) {
  const ended: Ended = { explanation, stagesMs: {}, interactionsRemembered: 0 };
  const steps: readonly TurnStep[] = [
    { kind: 'seated', key: '', data: seated },
    ...reviews.map((data): TurnStep => ({ kind: 'reviewed', key: data.reviewer, data })),
    ...(ranked ? [{ kind: 'ranked', key: '', data: ranked } as const] : []),
    ...(verdict ? [{ kind: 'verdict', key: '', data: verdict } as const] : []),
    { kind: 'ended', key: '', data: ended },
  ];
  return steps;
}
