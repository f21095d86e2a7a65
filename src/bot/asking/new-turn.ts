import type { TurnRequest } from '../../council/council.ts';
import type { NewTurn } from '../../store/store.ts';
import { storedEventId } from '../places/turns-of-place.ts';

/** A question as the turn that the store begins. @param createdAt - Milliseconds since 1970. */
export function newTurnOf(request: TurnRequest, createdAt: number): NewTurn {
  const { threadId, turnId, eventId, author, question, askedAt, repliesTo, isPrivate } = request;
  return {
    turnId,
    threadId,
    eventId: storedEventId(threadId, eventId),
    askedBy: author.id,
    request,
    question: {
      id: `${turnId}:question`,
      threadId,
      turnId,
      role: 'human',
      type: 'user_query',
      status: 'complete',
      author: author.name,
      content: { type: 'user_query', text: question },
      createdAt: askedAt,
      ...(repliesTo !== undefined && { parentId: storedEventId(threadId, repliesTo) }),
      ...(isPrivate !== undefined && { isPrivate }),
    },
    createdAt,
  };
}
