import { z } from 'zod';
import * as content from '../schema/content.ts';
import type { World } from '../world/world.ts';

const shown = z.strictObject({
  text: content.text.optional(),
  blocks: content.blocks.optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
});

export type AcknowledgedMessage = z.infer<typeof shown>;

/** The message with which a command was acknowledged: text, or an object; `undefined` where it was without one. */
export function acknowledgedMessage(
  { violations }: World,
  payload: unknown,
): AcknowledgedMessage | undefined {
  if (payload === undefined || payload === null || payload === '') return undefined;
  if (typeof payload === 'string') return { text: payload };
  const parsed = shown.safeParse(payload);
  if (parsed.success) return Object.keys(parsed.data).length === 0 ? undefined : parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  violations.add({ method: 'slash_commands', code: 'invalid_command_response', problems });
  return undefined;
}
