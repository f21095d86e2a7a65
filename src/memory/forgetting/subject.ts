/** What can be forgotten. */

import { z } from 'zod';
import { partsOf } from '../../domain/thread-id.ts';

/** It was deleted where people talk: what shows it there is emptied as well. */
const takenBack = { isTakenBack: z.literal(true).exactOptional() };

/** As it is kept while it is being forgotten: ids alone. */
export const forgetSubjectSchema = z.discriminatedUnion('kind', [
  /** A question with all that came of it. */
  z.object({ kind: z.literal('turn'), threadId: z.string(), turnId: z.string(), ...takenBack }),
  /** The turn that a message is of; an imported message of no turn here alone. */
  z.object({ kind: z.literal('message'), threadId: z.string(), messageId: z.string() }),
  /** What a shard was made of: of what stays, it would be made again. */
  z.object({ kind: z.literal('shard'), threadId: z.string(), shardId: z.string() }),
  /** All that a person has asked in a workspace (`platform:workspace`), and what turns there have heard them say. */
  z.object({ kind: z.literal('person'), workspace: z.string(), personId: z.string() }),
  /** A message that people wrote to each other, out of what turns have heard of it. */
  z.object({
    kind: z.literal('post'),
    /** `platform:workspace:channel` that it stood in. */
    place: z.string(),
    postId: z.string(),
    /** Milliseconds since 1970. */
    postedAt: z.number(),
  }),
  z.object({ kind: z.literal('thread'), threadId: z.string(), ...takenBack }),
  /** `platform:workspace:channel`: all its threads. What the channel is set to stays. */
  z.object({ kind: z.literal('channel'), channel: z.string() }),
  /** `platform:workspace`: everything, what its channels are set to included. */
  z.object({ kind: z.literal('workspace'), workspace: z.string() }),
]);
export type ForgetSubject = z.infer<typeof forgetSubjectSchema>;

/** The workspace (`platform:workspace`) that a subject is of. */
export function workspaceOfSubject(subject: ForgetSubject): string {
  switch (subject.kind) {
    case 'person':
    case 'workspace':
      return subject.workspace;
    case 'channel':
      return workspaceIn(subject.channel);
    case 'post':
      return workspaceIn(subject.place);
    default:
      return workspaceIn(subject.threadId);
  }
}

/** Whether something of a thread may stay. */
export function isPartial({ kind }: ForgetSubject): boolean {
  return kind === 'turn' || kind === 'message' || kind === 'shard' || kind === 'person';
}

/** Of the id of a channel as of that of a thread. */
function workspaceIn(id: string): string {
  const { platform, workspace } = partsOf(id);
  return `${platform}:${workspace}`;
}
