import { z } from 'zod';
import { settingScopes } from '../src/settings/setting-field.ts';
import {
  CommandError,
  notForPeople,
  type Reply,
  type SettingField,
  type SettingScope,
} from './command.ts';
import { councilCommand } from './context.ts';

const options = {
  change: z
    .string()
    .optional()
    .meta({
      description:
        'set <name> <value>, or reset <name>, or reset all; without it everything is shown',
      pattern: String.raw`^(?:set|reset|${settingScopes.join('|')})\b`,
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
    .describe('channel; server: what its channels inherit; mine: what you set for yourself'),
};
type Given = z.infer<z.ZodObject<typeof options>>;

/** `/council config`: shows and changes what this channel is set to, the server by default, or the person who asks. */
export const config = councilCommand({
  name: 'config',
  description: 'Show and change the settings of this channel or server, or your own',
  options,
  // Everybody has settings of their own.
  allowed: (given) => (wanted(given).scope === 'mine' ? 'everyone' : 'managers'),
  async run(context, given) {
    const { scope, change, changes } = wanted(given);
    if (change !== undefined && changes !== undefined) {
      throw new CommandError('Give either a change in words or the values of a form, not both.');
    }
    const before = await context.settings(scope);
    const asked = changes ?? (change === undefined ? undefined : readChange(change, before));
    if (asked === undefined) return shown(headings[scope], scope, before);
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
    if (outcome.changed.length === 0) return shown('There was nothing to change.', scope, before);
    const where = scope === 'server' ? ' in all channels without a value of their own' : '';
    const text = `Changed: ${outcome.changed.join(', ')}. This applies from the next question${where}.`;
    return shown(text, scope, await context.settings(scope));
  },
});

/** `mine set notify yes` names its scope first, as people type it. */
function wanted({ change, scope = 'channel', changes }: Given) {
  const [, first = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(change ?? '') ?? [];
  const named = settingScopes.find((one) => one === first.toLowerCase());
  if (!named) return { scope, change, changes };
  return { scope: named, change: rest === '' ? undefined : rest, changes };
}

const headings: Readonly<Record<SettingScope, string>> = {
  channel:
    'These settings apply in this channel. Anything it doesn’t set comes from the defaults for all channels, and otherwise from the person who runs the council.',
  server: 'These settings apply in every channel that has no value of its own.',
  mine: 'These settings are yours alone.',
};

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
  'Write set <name> <value>, reset <name> or reset all, e.g. set depth quick. Put server first for the default of all channels, or mine for yourself.';

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
  throw new CommandError(`“${words.trim()}” is no change I understand. ${howToWrite}`);
}
