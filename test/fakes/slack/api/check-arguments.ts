import type { Json } from '../world/records.ts';
import type { World } from '../world/world.ts';
import type { Method } from './method.ts';
import { Refusal } from './refusal.ts';

/** Bolt's own client adds it to every call; Slack heeds it for an organisation's token alone. */
const addedByTheClient = 'team_id';

/**
 * Holds a call's arguments against the method's schema.
 *
 * @throws Refusal with Slack's word for it, after the violation has been noted.
 */
export function checkArguments({ violations }: World, method: Method, args: Json): void {
  const unknown = Object.keys(args).filter(
    (name) => name !== addedByTheClient && !(name in method.schema.shape),
  );
  if (unknown.length > 0) {
    violations.add({ method: method.name, code: 'unknown_argument', problems: unknown });
  }
  const parsed = method.schema.safeParse(args);
  if (!isWellFormed(args)) {
    violations.add({ method: method.name, code: 'invalid_json', problems: ['half a character'] });
    throw new Refusal('invalid_json');
  }
  if (parsed.success) return;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  );
  const first = parsed.error.issues[0]?.path[0];
  const code = method.codes[String(first)] ?? 'invalid_arguments';
  violations.add({ method: method.name, code, problems });
  throw new Refusal(code, {
    response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) },
  });
}

/** Slack's reader of JSON takes no half of a surrogate pair, wherever it stands. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isWellFormed);
}
