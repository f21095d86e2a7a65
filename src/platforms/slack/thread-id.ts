/** The places of this platform, as thread ids: `slack:<team>:<channel>:<thread>`. */

import type { Place } from '../../../commands/command.ts';
import { partsOf, threadIdOf } from '../../domain/thread-id.ts';

/** First part of every thread id here. */
export const platformName = 'slack';

/** Where a turn is held. */
export interface SlackPlace {
  /** Id of the workspace, `T…`; of the organisation, `E…`, where the app is installed for all of it. */
  readonly team: string;
  /** `C…`, `G…` for private ones, `D…` for direct messages. */
  readonly channel: string;
  /** `ts` of the thread's first message. */
  readonly thread: string;
}

export function placeOf({ team, channel, thread }: SlackPlace): Place {
  return {
    platform: platformName,
    workspace: team,
    channel,
    threadId: threadIdOf({ platform: platformName, workspace: team, channel, thread }),
  };
}

/** Throws a RangeError for a thread id of another platform. */
export function readThreadId(threadId: string): SlackPlace {
  const { platform, workspace: team, channel, thread } = partsOf(threadId);
  if (platform !== platformName || !team || !channel || !thread) {
    throw new RangeError(`${threadId} is no thread of Slack.`);
  }
  return { team, channel, thread };
}

/** Where a thread is in the client; of a channel that stands for one, the channel. */
export function addressOf(threadId: string): string {
  const { team, channel, thread } = readThreadId(threadId);
  const address = `https://app.slack.com/client/${team}/${channel}`;
  return thread === channel ? address : `${address}/thread/${channel}-${thread}`;
}

/** Whether a thread hangs in a channel, so that its verdict can be posted there. */
export function hasChannel({ channel, thread }: SlackPlace): boolean {
  return !channel.startsWith('D') && thread !== channel;
}
