/** The whole council in this process, composed as the program composes it, over a model server of the test's. */

import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Application, openApplication } from '../../src/app/application.ts';
import { chooseModels } from '../../src/app/open-models.ts';
import { createLog } from '../../src/app/operator/log.ts';
import type { TurnEvent } from '../../src/council/events.ts';
import { type PastTurn, readPastTurn } from '../../src/council/past-turn.ts';
import { english } from '../../src/domain/languages/english.ts';
import type { Platform, PresentedTurn } from '../../src/platforms/platform.ts';
import { createPlainPage, paletteFor } from '../../src/platforms/terminal/page.ts';
import { showTurn } from '../../src/platforms/terminal/show-turn.ts';
import { loadConfig } from '../../src/settings/load.ts';
import type { TurnRecord } from '../../src/store/store.ts';
import { temporaryProject } from './temporary-project.ts';

/** Secret that every call carries and that must turn up nowhere. */
export const modelKey = 'sk-e2e-0123456789abcdef';

/** A turn that has ended. */
export interface EndedTurn {
  /** What a person reads of it in a terminal without colours. */
  readonly text: string;
  /** As the store has it. */
  readonly record: TurnRecord;
  /** The same, read. */
  readonly kept: PastTurn;
}

export interface OpenCouncil extends AsyncDisposable {
  readonly application: Application;
  /** Asks and waits for the end. Throws the reason when the question is refused. */
  ask(question: string): Promise<EndedTurn>;
  /** Stops what was asked. */
  stop(): Promise<void>;
  /** What the platform was given so far, of all turns. */
  readonly events: readonly TurnEvent[];
}

const thread = 'test:workspace:channel:thread';

/**
 * @param given - The settings; they name the model server.
 * @param keys - The environment; absent: the key of that server.
 */
export async function openCouncil(
  given: object,
  keys: Readonly<Record<string, string>> = { MODEL_KEY: modelKey },
): Promise<OpenCouncil> {
  const project = temporaryProject(given);
  const config = loadConfig({
    directory: join(project, 'config'),
    environment: keys,
  });
  const settings = { ...config.settings, store: { path: join(project, 'council.db') } };
  const chosenModels = await chooseModels(config, new AbortController().signal);
  const log = createLog({ level: 'silent', destination: process.stderr, secrets: [] });
  const platform = new WatchedPlatform();
  const application = await openApplication({
    config: { ...config, settings },
    chosenModels,
    log,
    platforms: async () => [platform],
    mayResume: () => true,
  });
  await application.bot.start();
  let count = 0;
  return {
    application,
    async ask(question) {
      count += 1;
      const asked = await application.bot.ask({
        threadId: thread,
        eventId: `event-${count}`,
        question,
        author: { id: 'u1', name: 'Uma' },
        askedAt: count,
      });
      if (asked.status === 'refused') throw new Error(asked.reason);
      if (asked.status !== 'accepted') throw new Error(`The question was ${asked.status}.`);
      await application.queue.idle();
      const record = await application.store.turns.read({ ...asked, threadId: thread });
      const text = platform.texts.get(asked.turnId);
      if (!record || text === undefined) throw new Error('The turn was not stored, or not shown.');
      return { text, record, kept: readPastTurn(record) };
    },
    async stop() {
      for (const turn of await application.store.turns.unfinished(10)) {
        await application.bot.stop(turn.turnId, turn);
      }
    },
    events: platform.events,
    async [Symbol.asyncDispose]() {
      await application[Symbol.asyncDispose]();
    },
  };
}

/** Keeps all events, and writes each turn as the terminal would. */
class WatchedPlatform implements Platform {
  readonly name = 'test';
  readonly events: TurnEvent[] = [];
  readonly texts = new Map<string, string>();

  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  linkTo = () => undefined;
  hear = async () => undefined;
  openFile = async () => ({ status: 'withheld', why: 'there are no files here' }) as const;
  isIn = async () => true;
  async retract(): Promise<void> {}
  async redraw(): Promise<void> {}
  post = async () => undefined;
  async unpost(): Promise<void> {}
  async reply(): Promise<void> {}

  async present({ request }: PresentedTurn, events: AsyncIterable<TurnEvent>): Promise<void> {
    const seen = this.events;
    async function* watched() {
      for await (const event of events) {
        seen.push(event);
        yield event;
      }
    }
    const output = new PassThrough();
    const written = text(output);
    await showTurn(watched(), createPlainPage(output, paletteFor(false)), english);
    output.end();
    this.texts.set(request.turnId, await written);
  }
}
