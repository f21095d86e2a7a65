import { z } from 'zod';

/** Arguments as a form carries them: everything is text. */

export const flag = z
  .union([z.boolean(), z.enum(['true', 'false', '1', '0'])])
  .transform((value) => value === true || value === 'true' || value === '1');

export const count = z.coerce.number().int().nonnegative();

/** Id of a conversation, e.g. `C0123`. A person's id opens no conversation here: that is `conversations.open`. */
export const channelId = z.string().regex(/^[CGD][A-Z0-9]+$/, 'is no id of a conversation');
export const userId = z.string().regex(/^[UW][A-Z0-9]+$/, 'is no id of a person');
export const timestamp = z.string().regex(/^\d{10}\.\d{6}$/, 'is no ts');
