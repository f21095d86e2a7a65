import { z } from 'zod';
import { depths } from '../src/domain/asking.ts';
import type { Sage } from '../src/domain/turn.ts';
import { counted, namesOf } from '../src/domain/words.ts';
import { quotedValue } from '../src/settings/channel-settings.ts';
import { type Preset, presetSettings } from '../src/settings/preset-settings.ts';
import { settingScopes } from '../src/settings/setting-field.ts';
import {
  CommandError,
  hiddenOption,
  type Reply,
  type SettingField,
  type SettingScope,
  textReply,
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
  changes: hiddenOption(
    z.record(z.string(), z.unknown()),
    'Values by name, all of them or none; null resets one',
  ),
  scope: z
    .enum(settingScopes)
    .optional()
    .describe('channel; server: what its channels inherit; mine: what you set for yourself'),
};
type Given = z.infer<z.ZodObject<typeof options>>;

/** `/council config`: shows and changes the settings of this channel, the server or the person who asks. */
export const config = councilCommand({
  name: 'config',
  description: 'Show and change the settings of this channel or server, or your own',
  options,
  async run(context, given) {
    const { scope, change, changes } = scopedChange(given);
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
      const [about] = problems.keys();
      return shown(`Nothing was changed.\n\n${reasons.join('\n')}`, scope, fields, about);
    }
    if (outcome.changed.length === 0) return shown('There was nothing to change.', scope, before);
    const { changed } = outcome;
    const where = scope === 'server' ? ' in all channels without a value of their own' : '';
    const days = changed.includes('retentionDays') ? Number(asked.retentionDays) : 0;
    const text = [
      `Changed: ${changed.join(', ')}.`,
      ...(days > 0 && changed.length === 1 ? [] : [`This applies from the next question${where}.`]),
      ...(days > 0 ? [`Everything older than ${counted(days, 'day')} ${isDeleted}`] : []),
    ].join(' ');
    return shown(text, scope, await context.settings(scope), changed[0]);
  },
});

const isDeleted =
  'is hidden in all channels at once, and its deletion begins within a minute. If you did not mean that, set more days right away.';

/** Reads a scope typed before the change, e.g. `mine set notify yes`. */
function scopedChange({ change, scope = 'channel', changes }: Given) {
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

type Fields = readonly SettingField[];

function shown(text: string, scope: SettingScope, fields: Fields, about?: string): Reply {
  return textReply(text, { type: 'settings', scope, fields, ...(about && { about }) });
}

const howToWrite =
  'Write set <name> <value>, reset <name> or reset all, e.g. set depth quick. Put server first for the default of all channels, or mine for yourself.';

/** Parses `set depth quick` as `{ depth: 'quick' }` and `reset depth` as `{ depth: null }`. */
function readChange(
  words: string,
  fields: readonly SettingField[],
): Readonly<Record<string, unknown>> {
  const [, verb = '', wanted = '', value = ''] =
    /^\s*(\S+)(?:\s+(\S+))?(?:\s+(.*\S))?\s*$/s.exec(words) ?? [];
  const name = fields.find((field) => field.name.toLowerCase() === wanted.toLowerCase())?.name;
  if (verb.toLowerCase() === 'set' && value !== '') {
    return { [name ?? wanted]: value };
  }
  if (verb.toLowerCase() === 'reset' && wanted !== '' && value === '') {
    if (wanted.toLowerCase() !== 'all') return { [name ?? wanted]: null };
    return Object.fromEntries(fields.map((field) => [field.name, null]));
  }
  throw new CommandError(`${quotedValue(words)} is not a change that I understand. ${howToWrite}`);
}

const presetOptions = {
  do: z.enum(['show', 'save', 'remove']).optional().describe('what to do; without it, show'),
  name: z.string().optional().describe('to save or remove: what it is called, e.g. hiring'),
  description: z.string().optional().describe('to save: what it is for, in a few words'),
  sages: z.string().optional().describe('to save: names or keys of its sages, separated by commas'),
  depth: z.enum(depths).optional().describe('to save: how far it goes'),
  criteria: z.string().optional().describe('to save: what answers are judged by'),
  moderator: z.string().optional().describe('to save: model of the moderator, provider:model'),
  model: z.string().optional().describe('to save: model of all its sages, provider:model'),
  reviewer: z.string().optional().describe('to save: model of all its reviews, provider:model'),
  chair: z.string().optional().describe('to save: model of its verdict, provider:model'),
  scope: z
    .enum(['channel', 'server'])
    .optional()
    .describe('to save or remove: for this channel, or all channels of the server'),
};
type GivenPreset = z.infer<z.ZodObject<typeof presetOptions>>;

/** `/council preset`: shows, saves and removes presets. */
export const preset = councilCommand({
  name: 'preset',
  description: 'Councils under a name: see them, save one or remove one',
  options: presetOptions,
  async run({ presets, bench }, asked) {
    const { do: action = 'show', name, scope = 'channel' } = asked;
    if (action === 'show') return shownPresets(presets.all, bench);
    if (name === undefined)
      throw new CommandError(`Say which, e.g. preset do:${action} name:hiring.`);
    if (action === 'remove') {
      await presets.remove(scope, name);
      return textReply(`The preset ${name} is gone.`);
    }
    await presets.save(scope, {
      key: name,
      description: asked.description ?? '',
      ...valuesIn(asked),
    });
    return textReply(`Saved. Ask with it: /council ask … preset:${name}`);
  },
});

function valuesIn(given: GivenPreset): Pick<Preset, 'settings'> {
  const { sages, depth, criteria, moderator, model, reviewer, chair } = given;
  const values = {
    seats: sages,
    depth,
    criteria,
    moderatorModel: moderator,
    sageModel: model,
    reviewerModel: reviewer,
    chairModel: chair,
  };
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return { settings: Object.fromEntries(set) };
}

function shownPresets(all: readonly Preset[], bench: readonly Sage[]): Reply {
  const nameOf = namesOf(bench, (key) => `${key} (not on this bench)`);
  if (all.length === 0) {
    return textReply(
      'There are no presets here yet. Those who manage this channel can save one: preset do:save name:hiring description:"For decisions about people" sages:lawyer,economist',
    );
  }
  const text = `${counted(all.length, 'preset')}. Ask with one: /council ask … preset:${all[0]?.key}`;
  return textReply(text, { type: 'fields', fields: all.map((one) => fieldOf(one, nameOf)) });
}

const madeBy = { file: 'by the operator', server: 'for the whole server', channel: 'here' };

function fieldOf({ key, description, settings, origin }: Preset, nameOf: (key: string) => string) {
  const values = presetSettings.flatMap((setting) => {
    const value = settings[setting];
    if (value === undefined) return [];
    return [`${setting}: ${Array.isArray(value) ? value.map(nameOf).join(', ') : String(value)}`];
  });
  return { name: key, value: [description, ...values, `Made ${madeBy[origin]}.`].join('\n') };
}
