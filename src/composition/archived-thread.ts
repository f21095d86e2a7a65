/** The thread that somebody names in the shell. */

import { terminalPlace } from '../platforms/terminal/terminal.ts';
import { mainThread } from './session.ts';

/** @param name - Of a conversation in the terminal, or a whole `platform:workspace:channel:thread`. */
export function threadNamed(name: string = mainThread): string {
  return name.includes(':') ? name : terminalPlace(name).threadId;
}
