/** Conducts: takes in questions and commands, and runs the turns that the queue hands over. */

import type { Command, Person, Place, Reply } from '../../commands/command.ts';
import type { CommandContext } from '../../commands/context.ts';
import { runCommand } from '../../commands/run-command.ts';
import type { Sage, TurnRequest } from '../council/council.ts';
import { validateChange } from '../council/settings.ts';
import { partsOf } from '../domain/thread-id.ts';
import type {
  AskedTurn,
  Deletion,
  Ingress,
  Invocation,
  Overview,
  PlaceSettings,
  Platform,
  Remark,
  Whereabouts,
} from '../platforms/platform.ts';
import { type Coordination, CoordinationError } from '../queue/coordination.ts';
import type { QueuedTurn } from '../queue/queue.ts';
import { StoreError } from '../store/store.ts';
import { Asking, type AskingOptions } from './asking/asking.ts';
import { judgedAlone, judgedIn } from './asking/remarks.ts';
import { commandContext } from './commands/command-context.ts';
import { overviewFor } from './commands/overview.ts';
import { turnVerbs } from './commands/turn-verbs.ts';
import { forgetDeleted } from './leaving/deletions.ts';
import { noteDeparture } from './leaving/departures.ts';
import { noteWhereabouts } from './leaving/whereabouts.ts';
import { type Channel, readChannel } from './places/channels.ts';
import { guestsOf } from './places/guests.ts';
import { turnAskedBy, turnIn } from './places/turns-of-place.ts';
import { Endings } from './running/endings.ts';
import { Halts } from './running/halts.ts';
import { tellPutAside } from './running/put-aside.ts';
import { storeTrouble } from './running/store-trouble.ts';
import { forgettingOf } from './running/taken-back.ts';
import { TurnRun, type TurnRunOptions } from './running/turn-run.ts';

/** `gateway`: takes in what people ask. `worker`: runs their turns. `all`: both. */
export type Role = 'all' | 'gateway' | 'worker';

export interface BotOptions
  extends TurnRunOptions,
    AskingOptions,
    Pick<Coordination, 'queue' | 'stops'> {
  readonly store: AskingOptions['store'];
  readonly log: AskingOptions['log'];
  readonly role: Role;
  readonly platforms: readonly Platform[];
  readonly commands: readonly Command<CommandContext>[];
}

/** Does a step of the start, e.g. within a deadline. */
type StartOf = (name: string, work: () => Promise<void>) => Promise<void>;

export class Bot implements Ingress {
  readonly #options: BotOptions;
  readonly #asking: Asking;
  readonly #endings = new Endings();
  readonly #halts = new Halts();

  constructor(options: BotOptions) {
    this.#options = options;
    this.#asking = new Asking(options);
  }

  /**
   * Opens the platforms, and takes up what was left unfinished; each as far as it is this one's role.
   *
   * @param starting - Does each step: one by the name of its platform, then `turns`.
   */
  async start(starting: StartOf = (_name, work) => work()): Promise<void> {
    const { queue, platforms, role } = this.#options;
    for (const platform of role === 'worker' ? [] : platforms) {
      await starting(platform.name, () => platform.start(this));
    }
    if (role === 'gateway') return;
    await starting('turns', () =>
      queue.start(
        (turn, shutdown) => this.#run(turn, shutdown),
        (turn) => this.#putAside(turn),
      ),
    );
  }

  /** Stops accepting questions, waits up to `graceMs` for running turns, and leaves the rest for the next start. */
  async stopAll(graceMs: number): Promise<void> {
    const { queue, platforms } = this.#options;
    for (const platform of platforms) await platform.stop();
    await queue.stop(graceMs);
    this.#halts.stop();
  }

  ask(...asked: Parameters<Ingress['ask']>): ReturnType<Ingress['ask']> {
    return this.#asking.ask(...asked);
  }

  abandoned(platform: string): Promise<readonly TurnRequest[]> {
    return this.#asking.abandoned(platform);
  }

  async settings(place: Place): Promise<PlaceSettings> {
    const { channel } = await readChannel(this.#options, place.threadId);
    return { bench: channel.council.bench, followUpMode: channel.settings.followUpMode };
  }

  async isMeant(remark: Remark, place: Place): Promise<boolean> {
    const judged = judgedAlone(remark);
    if (judged !== undefined) return judged;
    const [{ followUpMode: mode }, bench] = await Promise.all([
      this.settings(place),
      this.speakers(place),
    ]);
    return judgedIn(remark, { mode, bench });
  }

  overview(workspace: Pick<Place, 'platform' | 'workspace'>, personId: string): Promise<Overview> {
    return overviewFor(workspace, personId, this.#options);
  }

  async speakers(place: Place): Promise<readonly Sage[]> {
    const [{ channel }, guests] = await Promise.all([
      readChannel(this.#options, place.threadId),
      guestsOf(this.#options.store.turns, place.threadId),
    ]);
    return [...channel.council.bench, ...guests];
  }

  async command(invocation: Invocation): Promise<Reply> {
    const { commands, store, now, log } = this.#options;
    const { place } = invocation;
    return runCommand(
      commands,
      invocation,
      async () => {
        await this.#endings.settled(place.threadId);
        const { channel } = await readChannel(this.#options, place.threadId);
        const person = withNamedRights(invocation.person, channel);
        const verbs = turnVerbs({ place, person, bot: this, turns: store.turns, now });
        return commandContext({ place, person, channel }, commands, this.#options, verbs);
      },
      (error) => {
        log.error({ error, command: invocation.command }, 'command failed');
        const isAway = error instanceof StoreError || error instanceof CoordinationError;
        const what = 'The council can’t do that';
        const { threadId } = place;
        return isAway ? storeTrouble(error, { what, its: 'memory', threadId }) : undefined;
      },
    );
  }

  async stop(turnId: string, place: Pick<Place, 'threadId'>): Promise<boolean> {
    const record = await turnIn(this.#options.store.turns, place, turnId);
    if (!record || record.status === 'ended') return false;
    await this.#options.stops.request(turnId);
    return true;
  }

  async turnOf(eventId: string, place: Place): Promise<AskedTurn | undefined> {
    const record = await turnAskedBy(this.#options.store.turns, eventId, place);
    return record && { turnId: record.turnId, hasEnded: record.status === 'ended' };
  }

  deleted(deletion: Deletion): Promise<void> {
    return forgetDeleted(deletion, { ...this.#options, ...this.#options.memory });
  }

  left(workspace: Pick<Place, 'platform' | 'workspace'>): Promise<void> {
    return noteDeparture(workspace, { ...this.#options, ...this.#options.memory });
  }

  whereabouts(told: Whereabouts): Promise<void> {
    return noteWhereabouts(told, { ...this.#options, ...this.#options.memory });
  }

  async #run(queued: QueuedTurn, shutdown: AbortSignal): Promise<'ended' | 'left'> {
    const { platforms, stops } = this.#options;
    const platform = platforms.find(({ name }) => queued.threadId.startsWith(`${name}:`));
    if (!platform) throw new NotConnectedError(queued.threadId);
    const run = new TurnRun(queued, platform, this.#halts, this.#options);
    using watches = new DisposableStack();
    watches.defer(await stops.watch(queued.turnId, () => run.stop()));
    watches.defer(await stops.watch(forgettingOf(queued.turnId), () => run.forget()));
    const left = await this.#endings.watch(queued.threadId, run, shutdown);
    if (left === 'ended') await this.#options.money.release(queued.turnId);
    return left;
  }

  /** Tells people, for whom it has ended: it keeps no place and no money from other questions. */
  async #putAside(turn: QueuedTurn): Promise<void> {
    const { log } = this.#options;
    await tellPutAside(turn, this.#options).catch((error: unknown) => {
      log.warn({ ...turn, error }, 'nobody could be told that a turn was put aside');
    });
    await this.#options.money.release(turn.turnId).catch((error: unknown) => {
      log.warn({ ...turn, error }, 'a turn that was put aside keeps its place for a day');
    });
  }
}

/** A person with what the settings allow them, beside what their platform vouches for. */
function withNamedRights(person: Person, channel: Channel): Person {
  const isServerManager = person.isServerManager || isNamed(person, 'server', channel);
  const isManager = person.isManager || isServerManager || isNamed(person, 'channel', channel);
  return { ...person, isManager, isServerManager };
}

function isNamed({ id }: Person, scope: 'channel' | 'server', { layers, known }: Channel): boolean {
  const kept = layers[scope].managers;
  const judged = kept && validateChange('managers', kept.value, known);
  return judged?.status === 'valid' && judged.value !== 'nobody' && judged.value.includes(id);
}

/** A turn of a platform that this process has no token for. */
class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
  constructor(threadId: string) {
    const { platform } = partsOf(threadId);
    super(
      `This process has no access to “${platform}”. Give every worker what the gateways have in their environment.`,
    );
  }
}
