/** The task `web`: the page and the ways in for programs, with no chat beside them. */

import { noModel } from '../../models/chat-model.ts';
import { openApplication } from '../application.ts';
import { openSpeakers } from '../open-models.ts';
import { openWeb, type Served } from '../platforms.ts';
import { keepRecording, readRecording, recordingNames } from '../recordings.ts';
import { openLog, type Surroundings } from '../session.ts';
import { startWithin } from '../starting.ts';
import { startLines } from '../who-speaks.ts';
import type { Task } from './task.ts';

/** Where no port is set. */
const usualPort = 8010;

/** Runs until the process is asked to end. Without a model, recorded councils can be looked at. */
export async function webTask(
  around: Surroundings,
  { port }: Omit<Extract<Task, { task: 'web' }>, 'task'>,
): Promise<void> {
  const { config, output } = around;
  const log = openLog(around, around.errors.isTTY === true);
  const starting = startWithin(around);
  const speakers = await starting('models', () => openSpeakers(config, around.ending));
  // Without a model there is nothing else to look at.
  const recordings = speakers.names.moderator === noModel ? recordingNames.map(readRecording) : [];
  const examples = recordings.map(({ request: { turnId }, title }) => ({ turnId, title }));
  let served: Served | undefined;
  await using application = await openApplication({
    ...{ config, speakers, log, starting, ending: around.ending },
    platforms: async (store) => {
      served = await openWeb(config, port ?? config.settings.web.port ?? usualPort, {
        ...{ log, store, examples },
      });
      return [served.platform];
    },
    takesUp: ({ threadId }) => threadId.startsWith('web:'),
  });
  for (const recording of recordings) await keepRecording(application.store, recording);
  for (const line of await startLines(config, speakers, around.ending)) output.write(`${line}\n`);
  const asked = new Promise<void>((resolve) => around.onInterrupt(() => resolve()));
  await Promise.race([asked, application.bot.start(starting)]);
  if (around.ending.aborted) return;
  for (const line of served?.report() ?? []) output.write(`${line}\n`);
  await Promise.race([asked, served?.platform.finished]);
}
