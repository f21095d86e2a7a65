import { z } from 'zod';

const lineSchema = z.looseObject({
  time: z.string(),
  level: z.string(),
  pid: z.number(),
  msg: z.string().default(''),
});

const errorSchema = z.object({ type: z.string(), message: z.string(), stack: z.string() });

/** What JavaScript itself throws is likely a fault of the program: whoever mends it needs all of it. */
const faults: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AggregateError',
]);

/** Of an error that was made for people, what it says. */
function shortened(value: unknown): unknown {
  const error = errorSchema.safeParse(value).data;
  return error && !faults.has(error.type) ? error.message : value;
}

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
  const told = Object.entries(facts).map(([name, value]) => `${name}=${quoted(shortened(value))}`);
  return `${[time.slice(11, 19), level.padEnd(5), sentence, '', ...told].join(' ').trimEnd()}\n`;
}
