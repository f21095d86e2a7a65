/**
 * Whether a message is meant for the council, decided before anything is shown, queued or stored: an unwanted
 * council costs money and patience, and an unanswered question costs trust. Rules decide the clear cases. In a
 * council's thread they leave the rest to the moderator: the place pays for the calls, each thread has an hourly
 * cap, and without a clear decision the council stays silent.
 */

import { randomUUID } from 'node:crypto';
import { addressedSage, addressesCouncil, callsSage } from '../../council/addressing.ts';
import { planCall } from '../../council/estimate.ts';
import { judgeOverheard, type Respond } from '../../council/overheard.ts';
import type { Convened, Sage } from '../../domain/turn.ts';
import type { CallUsage } from '../../models/chat-model.ts';
import { isAddressed, type Question, type Remark } from '../../platforms/platform.ts';
import { CoordinationError } from '../../queue/coordination.ts';
import type { FollowUpMode } from '../../settings/file-table.ts';
import { payerFor, RefusedError, whyDenied } from '../money/budgets.ts';
import type { Estimate } from '../money/money.ts';
import type { BotParts } from '../parts.ts';
import type { Channel } from '../places/channels.ts';
import { storedEventId } from '../places/turns-of-place.ts';
import { recallFor } from '../running/turn-memory.ts';
import { chatterIn } from './chatter.ts';

/** @returns Whether the message is meant for the council or just greets it. `undefined`: that depends on the channel. */
export function judgeByText(remark: Remark): boolean | 'greeting' | undefined {
  const { text, where, namesCouncil } = remark;
  const chatter = chatterIn(text);
  if (isAddressed(remark) && chatter === 'greeting') return 'greeting';
  // A link sent to the council is a request.
  if (namesCouncil) {
    if (chatter === 'closing' || chatter === 'answer') return false;
    return isAside(remark) ? undefined : true;
  }
  // A bare “yes” may answer a question of the council's.
  if (chatter && !(chatter === 'answer' && where === 'thread')) return false;
  if (where === 'direct message') return true;
  return where === 'thread' ? undefined : false;
}

/** A leading `@bob` that the platform did not turn into a mention. */
const atName = /^\s*@[\p{L}\p{N}]/u;

/** Whether people may be told about the council, as in “you can ask @Council now”, or an earlier question is quoted. */
function isAside({ text, before = '', where }: Remark): boolean {
  if (where === 'direct message' || before === '') return false;
  return before.startsWith('>') || (!/[?？؟]/.test(text) && chatterIn(before) === undefined);
}

/**
 * For a message that may not be meant for the council: it is in the council's thread, or an aside.
 *
 * @param rules.bench - The sages that can be addressed by name.
 * @returns `undefined` where rules can't tell.
 */
export function judgeByRules(
  { text, where, namesCouncil, isForOthers }: Remark,
  { mode, bench }: { readonly mode: FollowUpMode; readonly bench: readonly Sage[] },
): boolean | undefined {
  if (namesCouncil) return mode === 'everything' && where === 'thread' ? true : undefined;
  if (mode === 'mention' || isForOthers) return false;
  if (mode === 'everything') return true;
  const isToSage = addressedSage(text, bench, { ignoresGivenNames: true }) !== undefined;
  if (isToSage || callsSage(text, bench) || addressesCouncil(text)) {
    const chatter = chatterIn(text.replace(/^[^:：,，、،]*[:：,，、،]/, ''));
    return chatter !== 'closing' && chatter !== 'greeting';
  }
  return text === '' || atName.test(text) ? false : undefined;
}

const hourMs = 60 * 60 * 1000;

/**
 * Asks the moderator whether a remark is meant for the council.
 *
 * @param channel - As just read.
 * @param isNamed - It mentions the council, so it is asked even if the moderator can't tell.
 * @param signal - Aborts the call, because the process ends.
 * @returns The question with the moderator's seats, or `undefined` if the council stays silent. Throws
 *   what the store throws.
 */
export async function questionMeant(
  question: Question,
  channel: Channel,
  parts: BotParts,
  isNamed: boolean,
  signal: AbortSignal,
): Promise<Question | undefined> {
  const { threadId, eventId } = question;
  const unjudged = isNamed ? question : undefined;
  const log = parts.log.child({ threadId, eventId });
  const delivery = `overheard:${randomUUID()}`;
  try {
    if (!(await mayAsk(question, channel, parts, delivery))) return undefined;
    const { respond, calls } = await judge(question, channel, { ...parts, log }, signal);
    const because = respond.who === 'nobody' ? respond.because : undefined;
    log.info({ respond: respond.who, because }, 'a remark was judged');
    if (respond.who === 'nobody') return because === 'unmeant' ? undefined : unjudged;
    const { seated } = respond;
    const convened: Convened = { calls: [...calls], ...(seated && { seated }) };
    return { ...question, convened };
  } catch (error) {
    if (signal.aborted) {
      // Its next delivery, after the restart, is judged.
      await parts.quotas.release(delivery);
      return undefined;
    }
    // Nobody asked, so nobody is told.
    if (!(error instanceof RefusedError || error instanceof CoordinationError)) throw error;
    log.info({ reason: error.message }, 'a remark was not judged');
    return unjudged;
  }
}

/** Whether a call is allowed: the person may ask, the event is new, and the thread's cap is not reached. */
async function mayAsk(
  { threadId, eventId, author }: Question,
  { settings }: Channel,
  { access, limits, quotas, log }: BotParts,
  delivery: string,
): Promise<boolean> {
  if (whyDenied(access, { ...payerFor(author, { threadId }), settings })) return false;
  const limit = limits.overheardPerThreadPerHour;
  const once = { name: `overheard:${storedEventId(threadId, eventId)}`, amount: 1, limit: 1 };
  const place = { name: `overheard:${threadId}`, amount: 1, limit };
  const taken = await quotas.take(delivery, [once, place], hourMs);
  if (taken.status === 'refused' && taken.name === place.name) {
    log.info({ threadId, limit }, 'no more remarks are judged');
  }
  return taken.status === 'taken';
}

function judge(
  asked: Question,
  channel: Channel,
  { money, limits, store, memory, log }: BotParts,
  signal: AbortSignal,
): Promise<{ readonly respond: Respond; readonly calls: readonly CallUsage[] }> {
  const { council } = channel;
  // Recent history is enough and costs no call.
  const settings = { ...channel.settings, history: 'summaries' as const };
  const remembered = { ...memory, limits: { ...memory.limits, memories: 0 } };
  const contextTokens = settings.memory ? memory.limits.budgetTokens : 0;
  const question = asked.question.slice(0, limits.maxQuestionChars);
  const request = { turnId: randomUUID(), ...asked, question };
  const estimate: Estimate = {
    what: 'judging a remark',
    calls: ({ moderator }) => [planCall('remark', moderator.id, question.length, contextTokens)],
  };
  // The place pays, because the writer may not have asked for anything.
  return money.pay({ threadId: asked.threadId, settings }, estimate, async (models, calls) => {
    const recalling = { request, log, at: request.askedAt, channel: { ...channel, settings } };
    const context = await recallFor(recalling, models, { store, memory: remembered }, signal);
    const respond = await judgeOverheard({ request, council, context, models, signal });
    return { respond, calls };
  });
}
