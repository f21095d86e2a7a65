/** The threads that somebody means in the shell. */

import { readQuestions, recentScope } from '../../bot/asking/recent-questions.ts';
import { terminalPlace } from '../../platforms/terminal/terminal.ts';
import type { Store } from '../../store/store.ts';
import { localPerson, mainThread } from '../session.ts';

/** @param name - Of a conversation in the terminal, or a whole `platform:workspace:channel:thread`. */
export function threadNamed(name: string): string {
  return name.includes(':') ? name : terminalPlace(name).threadId;
}

/**
 * The thread in which somebody asked last in the terminal, which for a pipe or a single question has
 * no name; the main conversation where nothing was asked. Throws what the store throws.
 */
export async function lastThread({ settings, turns }: Pick<Store, 'settings' | 'turns'>) {
  const main = terminalPlace(mainThread);
  const [kept = {}] = await settings.read([recentScope(main, localPerson)]);
  const [last] = await readQuestions(kept, turns);
  return last?.threadId ?? main.threadId;
}
