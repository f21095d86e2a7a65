/** The bot: accepts questions and commands, and runs the turns that the queue hands over. */

import { stopRequested } from '../council/cutoff.ts';
import { readPastTurn } from '../council/past-turn.ts';
import type { Ingress } from '../platforms/platform.ts';
import type { Role } from '../settings/environment.ts';
import { reserveAgain } from './asking/admission.ts';
import { ask, runSideTask } from './asking/asking.ts';
import { KeptQuestions } from './asking/kept-questions.ts';
import { judgeByRules, judgeByText, questionMeant } from './asking/overheard.ts';
import { overviewFor, runCommand } from './commands/commands.ts';
import { suggestMemories, suggestPresets, suggestTurns } from './commands/suggestions.ts';
import { forgetDeleted, noteDeparture, noteMemberships } from './leaving/leaving.ts';
import type { BotParts } from './parts.ts';
import { readChannel } from './places/channels.ts';
import { lastTurns, satIn, storedEventId, turnAskedBy, turnIn } from './places/turns-of-place.ts';
import { platformOf } from './running/presented-turn.ts';
import { Running, requestStop } from './running/running.ts';

export interface BotOptions extends BotParts {
  readonly role: Role;
}

/** How long a greeting is not repeated, in milliseconds, even if the bot is removed and added again: a year. */
const greetedForMs = 365 * 86_400_000;
/** Longer than platforms deliver a message again. */
const repliedForMs = 86_400_000;

const suggestions = { turn: suggestTurns, memory: suggestMemories, preset: suggestPresets };

export interface Bot extends Ingress {
  /** Starts the platforms unless this is a worker, and turns unless this is a gateway. Resumes unfinished turns. */
  start(): Promise<void>;
  /** Stops accepting questions, waits up to `graceMs` for running turns to finish, and leaves the rest for the next start. */
  stopAll(graceMs: number): Promise<void>;
}

export function createBot(options: BotOptions): Bot {
  const { store, queue, platforms, role } = options;
  const kept = new KeptQuestions(options);
  const running = new Running(options);
  const stopped = new AbortController();

  const bot: Bot = {
    async start() {
      // Before a platform takes questions, which must not use the same money.
      await reserveAll(options);
      for (const platform of role === 'worker' ? [] : platforms) {
        await platform.start(bot);
      }
      if (role === 'gateway') return;
      await queue.start({
        platforms: platforms.map(({ name }) => name),
        run: (turn, shutdown) => running.run(turn, shutdown),
        onAbandoned: (turn) => running.failForGood(turn),
      });
    },
    async stopAll(graceMs) {
      const over = new AbortController();
      const late = setTimeout(() => over.abort(), graceMs);
      const closed = platforms.map((platform) => platform.stop(over.signal));
      stopped.abort(stopRequested());
      try {
        await Promise.all([...closed, queue.stop(graceMs)]);
      } finally {
        clearTimeout(late);
        over.abort();
        running.stop();
      }
    },
    ask: (question, open) => ask(question, open, options, kept),
    abandoned: (platform) => kept.abandoned(platform),
    async settings({ threadId }) {
      const { channel } = await readChannel(options, threadId);
      return { bench: channel.council.bench, followUpMode: channel.settings.followUpMode };
    },
    async interpret(remark, place, read) {
      const alone = judgeByText(remark);
      if (alone === 'greeting') return alone;
      if (alone !== undefined) return alone ? read() : undefined;
      const [{ channel }, bench] = await Promise.all([
        readChannel(options, place.threadId),
        bot.addressableSages(place),
      ]);
      const judged = judgeByRules(remark, { mode: channel.settings.followUpMode, bench });
      if (judged === false) return undefined;
      const question = await read();
      if (!question || judged) return question;
      return questionMeant(question, channel, options, remark.namesCouncil, stopped.signal);
    },
    mayGreet({ platform, workspace, channel }) {
      const where = [platform, workspace, ...(channel === undefined ? [] : [channel])].join(':');
      return store.claim(`hello:${where}`, greetedForMs);
    },
    mayReply({ threadId, eventId }) {
      const event = storedEventId(threadId, eventId);
      return store.claim(`replied:${event}`, repliedForMs).catch(() => true);
    },
    suggest: (kind, typed, place, person) => suggestions[kind](place, person, typed, options),
    overview: (workspace, personId) => overviewFor(workspace, personId, options),
    async addressableSages({ threadId }) {
      const [{ channel }, earlier] = await Promise.all([
        readChannel(options, threadId),
        lastTurns(store.turns, threadId).then(satIn),
      ]);
      const { bench } = channel.council;
      const keys = new Set(bench.map(({ key }) => key));
      return [...bench, ...earlier.filter(({ key }) => !keys.has(key))];
    },
    async command(invocation) {
      await running.settled(invocation.place.threadId);
      return runCommand(invocation, options, bot);
    },
    sideTask: (sideTask) => runSideTask(sideTask, options),
    async stop(turnId, place) {
      const record = await turnIn(store.turns, place, turnId);
      if (!record || record.status === 'ended') return false;
      await requestStop(record, options);
      return true;
    },
    async turnOf(eventId, place) {
      const record = await turnAskedBy(store.turns, eventId, place);
      if (!record) return undefined;
      const { question, language } = readPastTurn(record).request;
      return { turnId: record.turnId, hasEnded: record.status === 'ended', question, language };
    },
    deleted: (deletion) => forgetDeleted(deletion, options),
    left: (workspace) => noteDeparture(workspace, options),
    memberships: (current) => noteMemberships(current, options),
  };
  return bot;
}

async function reserveAll(options: BotOptions): Promise<void> {
  const { unreserved, platforms, log } = options;
  const turns = await unreserved();
  const reserved = turns
    .filter(({ threadId }) => platformOf(threadId, platforms))
    .map((turn) =>
      reserveAgain(turn, options).catch((error: unknown) => {
        log.warn({ ...turn, error }, 'an unfinished turn has no reservation');
      }),
    );
  await Promise.all(reserved);
}
