import { z } from 'zod';

const lineSchema = z.looseObject({
  time: z.string(),
  level: z.string(),
  pid: z.number(),
  msg: z.string().default(''),
});

/** No character that a terminal would obey: JSON has escaped the rest. */
function quoted(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  const isPlainWord = typeof value === 'string' && /^[\w.:/@-]+$/.test(value);
  return isPlainWord ? value : json.replace(/[\u007f-\u009f]/g, '');
}

/**
 * Makes a line of the log readable for people.
 *
 * @param line - One JSON object as the log writes it.
 * @returns E.g. `14:03:22 info  sage answered  sage=nassim_taleb latencyMs=812` and a line feed. The time is UTC.
 */
export function readableLine(line: string): string {
  const { time, level, pid: _, msg, ...facts } = lineSchema.parse(JSON.parse(line));
  const sentence = quoted(msg).replace(/^"|"$/g, '');
  const told = Object.entries(facts).map(([name, value]) => `${name}=${quoted(value)}`);
  return `${[time.slice(11, 19), level.padEnd(5), sentence, '', ...told].join(' ').trimEnd()}\n`;
}
