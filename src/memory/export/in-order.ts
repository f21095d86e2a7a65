/** What was said in a thread, in order, as it is read. */

import { type Spoken, spokenIn } from '../../pages/spoken.ts';
import type { ExportedMessage, ReadableThread } from './export.ts';

/** Of one turn or one message at a time. At the same moment what belongs to no turn comes first. */
export async function* spokenInOrder(thread: ReadableThread): AsyncGenerator<readonly Spoken[]> {
  const alone = (message: ExportedMessage) => spokenIn({ turns: [], messages: [message] });
  const messages = anyway(thread.messages);
  let next = await messages.next();
  for await (const turn of thread.turns) {
    for (; !next.done && next.value.createdAt <= turn.createdAt; next = await messages.next()) {
      yield alone(next.value);
    }
    yield spokenIn({ turns: [turn], messages: [] });
  }
  for (; !next.done; next = await messages.next()) yield alone(next.value);
}

async function* anyway<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
