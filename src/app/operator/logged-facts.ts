/**
 * Makes plain data of what is about to be logged, without secrets, and of errors without what was said:
 * those of libraries carry whole requests and replies, and some quote them in their message.
 */

import { z } from 'zod';
import { redact, redacted } from '../../domain/log.ts';

/** Deeper things are named and not shown, as are longer lists and texts. */
const mostLevels = 8;
const mostItems = 200;
const mostChars = 10_000;

/** Names of what is secret by nature. Counts such as `inputTokens` are none. */
const secretName =
  /(?:api[-_]?key|authorization|token|secret|password|passphrase|cookie|credentials?|^headers)$/i;

/** What is shown of an error besides its name, message, stack and causes: what to decide by, and no text. */
const errorFields: ReadonlySet<string> = new Set([
  ...['code', 'status', 'statusCode', 'errno', 'syscall', 'address', 'port', 'hostname', 'path'],
  ...['errcode', 'failure', 'model', 'reason', 'retryAfterMs', 'isGlobal', 'neededScope'],
]);
/** A number, a word, a name of a file or of a model, an address; nothing that anybody has said. */
const plainField = z.union([z.number(), z.boolean(), z.string().regex(/^[\w.:/@+-]{1,200}$/)]);
/** One line of a stack. What stands above the first of them is the message once more. */
const frame = /^ {4}at .{1,500}:\d+:\d+\)?$/;

const textSchema = z.string().min(1);

/** @param secrets - Replaced wherever they occur. */
export function loggedFacts(secrets: readonly string[]) {
  const text = (original: string): string => {
    const safe = redact(original, secrets, mostChars);
    const more = original.length - mostChars;
    return more > 0 ? `${safe}… (${more} characters more)` : safe;
  };

  const record = (value: object, above: readonly object[]): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(value)
        .slice(0, mostItems)
        .map(([name, field]) => [
          text(name),
          secretName.test(name) && field !== undefined ? redacted : plain(field, above),
        ]),
    );

  const plainError = (error: Error, above: readonly object[]): Record<string, unknown> => ({
    type: text(error.name),
    message: text(messageOf(error)),
    stack: text(framesOf(error).join('\n')),
    ...fieldsOf(error),
    ...(error instanceof AggregateError ? { errors: plain(error.errors, above) } : {}),
    ...(error.cause instanceof Error ? { cause: plain(error.cause, above) } : {}),
  });

  const fieldsOf = (error: Error): Record<string, unknown> => {
    const fields = Object.entries(error).filter(
      ([name, value]) => errorFields.has(name) && plainField.safeParse(value).success,
    );
    return Object.fromEntries(fields.map(([name, value]) => [name, plain(value, [])]));
  };

  const plain = (value: unknown, above: readonly object[]): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'bigint' || typeof value === 'symbol') return text(String(value));
    if (typeof value === 'function') return '(function)';
    if (typeof value !== 'object' || value === null) return value;
    if (above.includes(value)) return '(circular)';
    if (above.length >= mostLevels) return '(deeper)';
    const path = [...above, value];
    if (value instanceof Error) return plainError(value, path);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof URL) return text(value.href);
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Map) return record(Object.fromEntries(value), path);
    if (Array.isArray(value) || value instanceof Set) {
      return [...value].slice(0, mostItems).map((item) => plain(item, path));
    }
    return record(value, path);
  };

  return {
    text,
    /** A copy as JSON knows it; circles are cut. */
    facts: (facts: Readonly<Record<string, unknown>>) => record(facts, [facts]),
  };
}

/** An error's message, without words of people, models or servers. */
function messageOf(error: Error): string {
  if (error instanceof SyntaxError) return unparsed(error);
  if (error instanceof z.ZodError) return misfits(error);
  // The message of a server's answer is the server's, and may repeat what it was asked.
  if ('headers' in error) return '(what the server said is not logged)';
  const said = 'said' in error ? textSchema.safeParse(error.said).data : undefined;
  return said === undefined ? error.message : error.message.replaceAll(said, '(not logged)');
}

/** It quotes what could not be parsed. */
function unparsed({ message }: SyntaxError): string {
  const [position = ''] = / at position \d+/.exec(message) ?? [];
  return `a text could not be parsed${position}`;
}

function misfits({ issues }: z.ZodError): string {
  return issues
    .slice(0, mostItems)
    .map(({ code, path }) => `${code} at ${path.map(String).join('.') || 'the top'}`)
    .join(', ');
}

function framesOf({ stack = '', message }: Error): readonly string[] {
  const below = message === '' ? 0 : stack.indexOf(message) + message.length;
  return stack
    .slice(Math.max(0, below))
    .split('\n')
    .filter((line) => frame.test(line));
}
