import { z } from 'zod';
import { settingScopes } from '../src/settings/setting-field.ts';
import {
  type Command,
  CommandError,
  notForPeople,
  type Reply,
  type SettingField,
  type SettingScope,
} from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  change: z.string().optional().meta({
    description:
      'set <name> <value>, or reset <name>, or reset all; without it everything is shown',
    pattern: String.raw`^(?:set|reset)\b`,
  }),
  changes: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({
      description: 'Values by name, all of them or none; null resets one',
      [notForPeople]: true,
    }),
  scope: z
    .enum(settingScopes)
    .optional()
    .describe('channel, or server: what holds in its channels by default'),
});

/** `/council config`: shows and changes what this channel, or the server by default, is set to. */
export const config: Command<CommandContext> = {
  name: 'config',
  description: 'Show and change the settings of this channel or server',
  options,
  allowed: 'managers',
  async run(context, given) {
    const { change, changes, scope = 'channel' } = options.parse(given);
    if (change !== undefined && changes !== undefined) {
      throw new CommandError('Give either a change in words or the values of a form, not both.');
    }
    const before = await context.settings(scope);
    const asked = changes ?? (change === undefined ? undefined : readChange(change, before));
    if (asked === undefined) return shown(heading(scope), scope, before);
    const outcome = await context.changeSettings(scope, asked);
    if (outcome.status === 'refused') {
      const { problems } = outcome;
      const reasons = [...problems].map(([name, why]) => `- ${name}: ${why}`);
      const fields = before.map((field) => {
        const problem = problems.get(field.name);
        return problem === undefined ? field : { ...field, problem };
      });
      return shown(`Nothing was changed.\n\n${reasons.join('\n')}`, scope, fields);
    }
    if (outcome.changed.length === 0) return shown('Nothing was to be changed.', scope, before);
    const where = scope === 'server' ? ' in all channels that have no value of their own' : '';
    const text = `Changed: ${outcome.changed.join(', ')}. It holds from the next question${where}.`;
    return shown(text, scope, await context.settings(scope));
  },
};

function heading(scope: SettingScope): string {
  return scope === 'channel'
    ? 'What holds in this channel. What it does not set itself comes from the defaults of all channels, and else from the files of whoever runs the council.'
    : 'What holds in the channels that set nothing themselves.';
}

function shown(text: string, scope: SettingScope, fields: readonly SettingField[]): Reply {
  return {
    isPrivate: true,
    blocks: [
      { type: 'text', text },
      { type: 'settings', scope, fields },
    ],
  };
}

const howToWrite =
  'Write set <name> <value>, reset <name> or reset all, e.g. set depth quick; scope:server makes it the default of all channels.';

/** `set depth quick` as `{ depth: 'quick' }`, `reset depth` as `{ depth: null }`. */
function readChange(
  words: string,
  fields: readonly SettingField[],
): Readonly<Record<string, unknown>> {
  const [, verb = '', wanted = '', value = ''] =
    /^\s*(\S+)(?:\s+(\S+))?(?:\s+(.*\S))?\s*$/s.exec(words) ?? [];
  const name = fields.find((field) => field.name.toLowerCase() === wanted.toLowerCase())?.name;
  if (verb.toLowerCase() === 'set' && wanted !== '' && value !== '') {
    return { [name ?? wanted]: value };
  }
  if (verb.toLowerCase() === 'reset' && wanted !== '' && value === '') {
    if (wanted.toLowerCase() !== 'all') return { [name ?? wanted]: null };
    return Object.fromEntries(fields.map((field) => [field.name, null]));
  }
  throw new CommandError(`“${words.trim()}” is no change. ${howToWrite}`);
}
