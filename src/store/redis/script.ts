/** Scripts in Lua, several in a file. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script that a server runs as one step: all of it or, when it refuses, nothing. */
export interface Script {
  readonly source: string;
  /** By which the server knows a source that it has seen. */
  readonly sha1: string;
}

/**
 * Reads a file of scripts. Each begins with a line `--- name`; what stands before the first belongs to
 * all of them.
 *
 * @param prelude - What all of them begin with besides.
 * @returns Gives a script by its name.
 */
export function scriptsIn(file: URL, prelude = ''): (name: string) => Script {
  const [common = '', ...sections] = readFileSync(file, 'utf8').split(/^--- /m);
  return (name) => {
    const section = sections.find((one) => one.startsWith(`${name}\n`));
    if (section === undefined) throw new Error(`${file.pathname} has no script ${name}.`);
    const source = [prelude, common, section.slice(name.length + 1)].join('\n');
    return { source, sha1: createHash('sha1').update(source).digest('hex') };
  };
}
