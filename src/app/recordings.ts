/** The recorded councils: read from their files, and kept in the store so that they are looked at like any other turn. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type RecordedTurn,
  recordedSteps,
  recordedTurn,
  recordingSchema,
} from '../council/recording.ts';
import { answerContent } from '../domain/stored-turn.ts';
import type { ArchivedThread } from '../memory/export/archive.ts';
import { bringBack } from '../memory/export/bring-back.ts';
import { readYaml } from '../settings/yaml-source.ts';
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
  await bringBack(store, { threads: [archived(turn)] }, options);
}

function archived(turn: RecordedTurn): ArchivedThread {
  const { request, answers } = turn;
  const { turnId, threadId, author, question, askedAt } = request;
  const asked = `${turnId}:question`;
  const common = { turnId, createdAt: askedAt, isPrivate: true };
  return {
    threadId,
    messages: [],
    turns: [
      {
        ...{ turnId, createdAt: askedAt, endedAt: askedAt, outcome: 'answered', request },
        messages: [
          {
            ...{ ...common, id: asked, role: 'human', type: 'user_query', author: author.name },
            content: { type: 'user_query', text: question },
          },
          ...answers.map((answer) => ({
            ...{ ...common, id: `${turnId}:${answer.sage}`, sage: answer.sage, parentId: asked },
            ...({ role: 'ai', type: 'sage_output' } as const),
            content: answerContent(answer),
          })),
        ],
        steps: [...recordedSteps(turn)],
      },
    ],
  };
}
