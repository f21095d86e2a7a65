/** The recorded councils: read from their files, and kept in the store so that they are looked at like any other turn. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RecordedTurn, recordedTurn, recordingSchema } from '../council/recording.ts';
import { bringBack } from '../memory/export/bring-back.ts';
import { readYaml } from '../settings/yaml-source.ts';
import type { Store } from '../store/store.ts';
import { exportedTurn } from './exported-turn.ts';

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
  await bringBack(store, { threads: [thread] }, options);
}
