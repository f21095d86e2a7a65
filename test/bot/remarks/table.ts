/**
 * What people write in a thread of the council, by whom it is for. Written before the rules were, from
 * how people talk; half of it is meant for the council.
 */

import { english } from './english.ts';
import { languages } from './languages.ts';

export type Kind =
  /** For the council, and it ends as a question. */
  | 'question'
  /** For the council, as a statement: the rules can't tell it from talk. */
  | 'task'
  /** For the council, a question that its writer left without a mark. */
  | 'unmarked'
  | 'thanks'
  | 'greeting'
  | 'laughter'
  | 'emoji'
  | 'link'
  /** It says whose it is: by a mention, by what it replies to, by a name at its beginning. */
  | 'somebody else'
  | 'talk';

/** What people write in one language, by whom it is for. */
export type Remarks = Readonly<Partial<Record<Kind, readonly string[]>>>;

/** Texts as the platforms bring them, by language and kind. */
export const remarks: Readonly<Record<string, Remarks>> = { english, ...languages };
