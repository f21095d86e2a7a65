/** The bot: accepts questions and commands, and runs the turns that the queue hands over. */

import type { Place, Reply } from '../../commands/command.ts';
import { stopRequested } from '../council/cutoff.ts';
import { readPastTurn } from '../council/past-turn.ts';
import type { Overview } from '../domain/overview.ts';
import type { Sage, TurnRequest } from '../domain/turn.ts';
import type {
  AskedTurn,
  Deletion,
  Ingress,
  Invocation,
  Memberships,
  PlaceSettings,
} from '../platforms/platform.ts';
import type { Role } from '../settings/environment.ts';
import { reserveAgain } from './asking/admission.ts';
import { ask, runSideTask } from './asking/asking.ts';
import { KeptQuestions } from './asking/kept-questions.ts';
import { questionMeant } from './asking/overheard.ts';
import { judgeByRules, judgeByText } from './asking/remarks.ts';
import { overviewFor, runCommand } from './commands/commands.ts';
import { suggestMemories, suggestPresets, suggestTurns } from './commands/suggestions.ts';
import { forgetDeleted, noteDeparture, noteMemberships } from './leaving/leaving.ts';
import type { BotParts } from './parts.ts';
import { readChannel } from './places/channels.ts';
import {
  guestsIn,
  lastTurns,
  storedEventId,
  turnAskedBy,
  turnIn,
} from './places/turns-of-place.ts';
import { platformOf } from './running/presented-turn.ts';
import { Running, requestStop } from './running/running.ts';

export interface BotOptions extends BotParts {
  readonly role: Role;
}

/** How long a greeting is not repeated, in milliseconds, even if the bot is removed and added again: a year. */
const greetedForMs = 365 * 86_400_000;
/** Longer than platforms deliver a message again. */
const repliedForMs = 86_400_000;

/** Runs a step of the start, e.g. with a deadline. */
type RunStep = (name: string, work: () => Promise<void>) => Promise<void>;

const suggestions = { turn: suggestTurns, memory: suggestMemories, preset: suggestPresets };

export class Bot implements Ingress {
  readonly #options: BotOptions;
  readonly #kept: KeptQuestions;
  readonly #running: Running;
  /** Aborted when the process ends. */
  readonly #stopped = new AbortController();

  constructor(options: BotOptions) {
    this.#options = options;
    this.#kept = new KeptQuestions(options);
    this.#running = new Running(options);
  }

  /**
   * Starts the platforms unless this is a worker, and turns unless this is a gateway. Resumes unfinished turns.
   *
   * @param starting - Runs each step: `turns`, one named after each platform, then `turns` again.
   */
  async start(starting: RunStep = (_name, work) => work()): Promise<void> {
    const { queue, platforms, role } = this.#options;
    // Before a platform takes questions, which must not use the same money.
    await starting('turns', () => this.#reserveAgain());
    for (const platform of role === 'worker' ? [] : platforms) {
      await starting(platform.name, () => platform.start(this));
    }
    if (role === 'gateway') return;
    await starting('turns', () =>
      queue.start({
        platforms: platforms.map(({ name }) => name),
        run: (turn, shutdown) => this.#running.run(turn, shutdown),
        onAbandoned: (turn) => this.#running.failForGood(turn),
      }),
    );
  }

  /** Stops accepting questions, waits up to `graceMs` for running turns to finish, and leaves the rest for the next start. */
  async stopAll(graceMs: number): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.stop();
    this.#stopped.abort(stopRequested());
    await queue.stop(graceMs);
    this.#running.stop();
  }

  async #reserveAgain(): Promise<void> {
    const { unreserved, platforms, log } = this.#options;
    const turns = await unreserved();
    const reserved = turns
      .filter(({ threadId }) => platformOf(threadId, platforms))
      .map((turn) =>
        reserveAgain(turn, this.#options).catch((error: unknown) => {
          log.warn({ ...turn, error }, 'an unfinished turn has no reservation');
        }),
      );
    await Promise.all(reserved);
  }

  ask(...[question, open]: Parameters<Ingress['ask']>): ReturnType<Ingress['ask']> {
    return ask(question, open, this.#options, this.#kept);
  }

  abandoned(platform: string): Promise<readonly TurnRequest[]> {
    return this.#kept.abandoned(platform);
  }

  async settings(place: Place): Promise<PlaceSettings> {
    const { channel } = await readChannel(this.#options, place.threadId);
    return { bench: channel.council.bench, followUpMode: channel.settings.followUpMode };
  }

  async interpret(...[remark, place, read]: Parameters<Ingress['interpret']>) {
    const alone = judgeByText(remark);
    if (alone === 'greeting') return alone;
    if (alone !== undefined) return alone ? read() : undefined;
    const [{ channel }, bench] = await Promise.all([
      readChannel(this.#options, place.threadId),
      this.addressableSages(place),
    ]);
    const judged = judgeByRules(remark, { mode: channel.settings.followUpMode, bench });
    if (judged === false) return undefined;
    const question = await read();
    if (!question || judged) return question;
    return questionMeant(question, channel, this.#options, this.#stopped.signal);
  }

  mayGreet({ platform, workspace, channel }: Parameters<Ingress['mayGreet']>[0]) {
    const where = [platform, workspace, ...(channel === undefined ? [] : [channel])].join(':');
    return this.#options.store.claim(`hello:${where}`, greetedForMs);
  }

  mayReply({ threadId, eventId }: Parameters<Ingress['mayReply']>[0]): Promise<boolean> {
    const event = storedEventId(threadId, eventId);
    return this.#options.store.claim(`replied:${event}`, repliedForMs).catch(() => true);
  }

  suggest(...[kind, typed, place, person]: Parameters<Ingress['suggest']>) {
    return suggestions[kind](place, person, typed, this.#options);
  }

  overview(workspace: Pick<Place, 'platform' | 'workspace'>, personId: string): Promise<Overview> {
    return overviewFor(workspace, personId, this.#options);
  }

  async addressableSages(place: Place): Promise<readonly Sage[]> {
    const [{ channel }, guests] = await Promise.all([
      readChannel(this.#options, place.threadId),
      lastTurns(this.#options.store.turns, place.threadId).then(guestsIn),
    ]);
    return [...channel.council.bench, ...guests];
  }

  async command(invocation: Invocation): Promise<Reply> {
    await this.#running.settled(invocation.place.threadId);
    return runCommand(invocation, this.#options, this);
  }

  sideTask(...[sideTask]: Parameters<Ingress['sideTask']>): ReturnType<Ingress['sideTask']> {
    return runSideTask(sideTask, this.#options);
  }

  async stop(turnId: string, place: Pick<Place, 'threadId'>): Promise<boolean> {
    const record = await turnIn(this.#options.store.turns, place, turnId);
    if (!record || record.status === 'ended') return false;
    await requestStop(record, this.#options);
    return true;
  }

  async turnOf(eventId: string, place: Place): Promise<AskedTurn | undefined> {
    const record = await turnAskedBy(this.#options.store.turns, eventId, place);
    if (!record) return undefined;
    const { question } = readPastTurn(record).request;
    return { turnId: record.turnId, hasEnded: record.status === 'ended', question };
  }

  deleted(deletion: Deletion): Promise<void> {
    return forgetDeleted(deletion, this.#options);
  }

  left(workspace: Pick<Place, 'platform' | 'workspace'>): Promise<void> {
    return noteDeparture(workspace, this.#options);
  }

  memberships(current: Memberships): Promise<void> {
    return noteMemberships(current, this.#options);
  }
}
