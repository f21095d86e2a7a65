/** What Tab makes of the line typed so far. */

import { leaveWords } from './leaving.ts';

/** What can be completed. */
export interface Completable {
  readonly commands: readonly { readonly name: string }[];
  /** Names by which a sage can be addressed at the beginning of a question. */
  readonly sages: readonly string[];
}

/** @returns The whole lines that the text could become, in the order of the lists. */
export function completions(text: string, { commands, sages }: Completable): readonly string[] {
  if (text === '') return [];
  const slash = /^\/(council +)?(\S*)$/.exec(text);
  if (slash) {
    const [, council = '', begun = ''] = slash;
    const words = [...commands.map(({ name }) => name), ...leaveWords];
    return words.filter((word) => word.startsWith(begun)).map((word) => `/${council}${word} `);
  }
  const begun = text.toLowerCase();
  return sages.filter((name) => name.toLowerCase().startsWith(begun)).map((name) => `${name}: `);
}
