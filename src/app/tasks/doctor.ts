/** The task `doctor`: checks every part of the installation, with advice for those that fail. */

import { pictureOf } from '../../charts/drawing.ts';
import { silentLog } from '../../domain/log.ts';
import { counted } from '../../domain/words.ts';
import { noModel } from '../../models/chat-model.ts';
import { openEmbedder, type Providers } from '../../models/providers.ts';
import { paletteFor } from '../../platforms/terminal/page.ts';
import { unservedText } from '../../queue/coordination.ts';
import type { Config } from '../../settings/load.ts';
import { inspectSqlite, openSqliteStore } from '../../store/sqlite.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { timeoutSignal } from '../../waiting.ts';
import { openSharedQueue, whyNotShared } from '../coordination.ts';
import { allModels } from '../models.ts';
import { type ChosenModels, chooseModels, modelsByName, tryModel } from '../open-models.ts';
import { healthTask } from '../operator/health.ts';
import { assertServable } from '../platforms.ts';
import { chats } from '../setup/chats-step.ts';
import { startLines } from '../starting.ts';
import { canShareQueue, chooseStore, type StoreChoice, storeAddress } from '../store.ts';
import { openWebKeys } from '../web-records.ts';
import type { DoctorReach, TaskContext } from './task.ts';

const allWorks: Readonly<Record<DoctorReach, string>> = {
  here: 'What was checked works. Without --offline, chats and models are checked, too.',
  chats: 'What was checked works. Without --no-models, models are checked, too.',
  all: 'Everything works.',
};

/** @returns 0 if every check passed, else 1. */
export async function doctor(context: TaskContext, reach: DoctorReach): Promise<number> {
  const { config, output } = context;
  const palette = paletteFor(context.colour);
  const chosenModels = await chooseModels(config, context.ending);
  let failed = 0;
  // A missing model and unchecked budgets are reported below, by their checks.
  const lines = await startLines({
    ...context,
    chosenModels: { ...chosenModels, unchecked: undefined },
  });
  if (lines.length > 0) output.write(`${lines.join('\n')}\n\n`);
  for await (const finding of runChecks(checksOf(config, chosenModels, reach))) {
    if (!finding.hasPassed) failed += 1;
    const mark = finding.hasPassed ? palette.good('✓') : palette.bad('✗');
    output.write(`${mark} ${finding.name}: ${finding.text}\n`);
  }
  output.write(
    failed === 0
      ? `\n${allWorks[reach]}\n`
      : `\n${failed === 1 ? 'One thing needs' : `${failed} things need`} fixing.\n`,
  );
  return failed === 0 ? 0 : 1;
}

export interface Check {
  /** e.g. `store data/council.db`. */
  readonly name: string;
  /** Returns the result for people. Throws an error whose message says what is wrong and what to do. */
  run(signal: AbortSignal): Promise<string>;
}

export interface Finding {
  readonly name: string;
  readonly hasPassed: boolean;
  readonly text: string;
}

/** A check that takes longer has failed. A local server loads a model first, from the start if it is cut off. */
export const checkTimeoutMs = 180_000;

/** Runs all checks concurrently, and yields their findings in the order of the checks. */
export async function* runChecks(checks: readonly Check[]): AsyncGenerator<Finding> {
  const findings = checks.map(runCheck);
  for (const finding of findings) yield await finding;
}

async function runCheck({ name, run }: Check): Promise<Finding> {
  const late = `Nothing came within ${checkTimeoutMs / 1000} s. Check that its address is right and that it is running.`;
  try {
    const text = await run(timeoutSignal(checkTimeoutMs, new Error(late)));
    return { name, hasPassed: true, text };
  } catch (error) {
    return { name, hasPassed: false, text: error instanceof Error ? error.message : String(error) };
  }
}

export function checksOf(
  config: Config,
  { names, providers, unchecked }: Pick<ChosenModels, 'names' | 'providers' | 'unchecked'>,
  reach: DoctorReach,
): readonly Check[] {
  const { sages, settings } = config;
  const connected = Object.values(chats).filter(({ isSet }) => isSet(config));
  const open = modelsByName(config, providers);
  const models = allModels(config, names).map((name) => ({
    name: name === noModel ? 'model' : `model ${name}`,
    run: async (signal: AbortSignal) =>
      ['answers', ...(await tryModel(open(name), signal))].join('; '),
  }));
  return [
    // That it is 24 is checked before the program is loaded.
    { name: 'Node', run: async () => process.version },
    {
      name: 'configuration',
      run: async () => `${counted(sages.length, 'sage')}, depth ${settings.council.depth}`,
    },
    {
      name: 'role',
      run: async () => {
        assertServable(config);
        return config.role;
      },
    },
    picturesCheck(pictureOf),
    {
      name: 'budgets',
      run: async () => {
        if (unchecked !== undefined) throw new Error(unchecked);
        const isSet = Object.values(settings.budgets).some((usd) => usd !== undefined);
        return isSet ? 'the cost of each call is known' : 'none are set';
      },
    },
    storeCheck(config),
    queueCheck(config),
    ...webChecks(config),
    ...(reach === 'here'
      ? []
      : connected.map(({ name, examine }) => ({ name, run: () => examine({ config }) }))),
    ...(reach === 'all' ? models : []),
    ...(reach === 'all' && names.embedding ? [embeddingCheck(names.embedding, providers)] : []),
  ];
}

const smallestDrawing = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

/** @param draw - As {@link pictureOf}. */
export function picturesCheck(draw: typeof pictureOf): Check {
  return {
    name: 'pictures',
    run: async () => {
      if (await draw(smallestDrawing)) return 'charts and faces can be drawn';
      // The bot works without pictures, so this is no failure.
      return 'this machine can’t draw, so Discord gets charts as text, and no faces but those in files. Run `npm install` without `--omit=optional`; if that changes nothing, @resvg/resvg-js does not support this machine';
    },
  };
}

function embeddingCheck(name: string, providers: Providers): Check {
  return {
    name: `embeddings ${name}`,
    run: async (signal) => {
      const { vectors } = await openEmbedder(name, providers).embed(['yes'], signal);
      return `${vectors[0]?.length} dimensions`;
    },
  };
}

/** Whether the web, if it has a port, is closed to others until there is a key. */
function webChecks(config: Config): readonly Check[] {
  const { web } = config.settings;
  if (web.port === undefined) return [];
  const run = async () => {
    const { assertGuarded } = await import('../../platforms/web/web.ts');
    const { keys, close } = await openWebKeys(config, silentLog);
    await assertGuarded(web, keys).finally(close);
    return web.publicUrl ?? `on ${web.host}, port ${web.port}`;
  };
  return [{ name: 'web', run }];
}

const mostCounted = 100;

export function storeCheck(config: Config): Check {
  const choice = chooseStore(config);
  return { name: `store ${storeAddress(choice)}`, run: () => checkStore(choice, config) };
}

async function checkStore(choice: StoreChoice, config: Config): Promise<string> {
  switch (choice.kind) {
    case 'redis': {
      const { inspectRedis, openRedisStore } = await import('../../store/redis.ts');
      const { version, usedMegabytes, dangers } = await inspectRedis(choice);
      const found = await tryStore(await openRedisStore(choice));
      const summary = `Redis ${version}, ${usedMegabytes} MB used, ${found}`;
      if (dangers.length > 0) throw new Error([`${summary}. But:`, ...dangers].join('\n    '));
      return summary;
    }
    case 'upstash': {
      const { openUpstashStore } = await import('../../store/upstash.ts');
      return tryStore(openUpstashStore(choice));
    }
    case 'sqlite': {
      try {
        const { isNew } = inspectSqlite(choice.path);
        const found = await tryStore(openSqliteStore({ path: choice.path }));
        return isNew ? `${found}; it was empty, so the council starts without memories` : found;
      } catch (error) {
        if (error instanceof StoreError && error.reason === 'in_use') return askUser(config);
        throw error;
      }
    }
  }
}

/** Asks the Council that uses the file, if it has a port, whether it is ready. Throws what it says if it is not. */
async function askUser(config: Config): Promise<string> {
  const said = ['is in use by a running Council'];
  const output = { write: (text: string) => said.push(...text.trim().split('\n')) };
  const isWell = (await healthTask({ config, output, errors: { write() {} } }, '/readyz')) === 0;
  if (isWell || said.length === 1) return said[0] ?? '';
  throw new Error(said.join('\n    '));
}

async function tryStore(store: Store): Promise<string> {
  try {
    // A write, to find out whether the disk or the server's memory is full.
    await store.claim('doctor', 1);
    const { length } = await store.turns.unfinished(mostCounted);
    const left = length === mostCounted ? `${length} or more turns` : counted(length, 'turn');
    return length === 0
      ? 'can be read and written'
      : `can be read and written; ${left} will resume at the next start`;
  } finally {
    await store.close();
  }
}

export function queueCheck(config: Config): Check {
  return { name: 'queue', run: () => checkQueue(config) };
}

async function checkQueue(config: Config): Promise<string> {
  const choice = chooseStore(config);
  if (!canShareQueue(choice)) return `in this process alone: ${whyNotShared(choice)}`;
  // Opens everything a bot would share, to find missing Redis permissions.
  await using _shared = await openSharedQueue(choice, config, silentLog);
  const { QueueAdmin } = await import('../../queue/bullmq/queue-admin.ts');
  const admin = await QueueAdmin.open(choice.url);
  try {
    const { running, pausing, waiting, dead, unserved } = await admin.view(0);
    const turns = `${counted(running + pausing + waiting, 'turn')} in it, ${dead} failed for good`;
    const unrun = unserved.length > 0 ? `; some ${unservedText(unserved)}` : '';
    return `shared by all processes; ${turns}${unrun}`;
  } finally {
    await admin.close();
  }
}
