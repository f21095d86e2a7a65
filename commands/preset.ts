import { z } from 'zod';
import { depths } from '../src/domain/turn.ts';
import { counted } from '../src/domain/words.ts';
import { type Preset, presetSettings } from '../src/settings/preset-settings.ts';
import { CommandError, type Reply, type ReplyBlock, textReply } from './command.ts';
import { councilCommand } from './context.ts';

const options = {
  do: z.enum(['show', 'save', 'remove']).optional().describe('what to do; without it, show'),
  name: z.string().optional().describe('what the preset is called, e.g. hiring'),
  description: z.string().optional().describe('to save: what it is for, in a few words'),
  sages: z.string().optional().describe('to save: keys of the sages that sit, with commas'),
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
type Given = z.infer<z.ZodObject<typeof options>>;

/** `/council preset`: councils under a name, to be asked with `preset:NAME`. */
export const preset = councilCommand({
  name: 'preset',
  description: 'Councils under a name: see them, save one or remove one',
  options,
  allowed: ({ do: action }) => (action === 'save' || action === 'remove' ? 'managers' : 'everyone'),
  async run({ presets }, asked) {
    const { do: action = 'show', name, scope = 'channel' } = asked;
    if (action === 'show') return shown(presets.all, name);
    if (name === undefined) throw new CommandError(`Say which, e.g. preset ${action} hiring.`);
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

function valuesIn(given: Given): Pick<Preset, 'settings'> {
  const { sages, depth, criteria, moderator, model, reviewer, chair } = given;
  const values = {
    ...{ seats: sages, depth, criteria, moderatorModel: moderator, sageModel: model },
    ...{ reviewerModel: reviewer, chairModel: chair },
  };
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return { settings: Object.fromEntries(set) };
}

function shown(all: readonly Preset[], name: string | undefined): Reply {
  const wanted = name === undefined ? all : all.filter(({ key }) => key === name);
  if (wanted.length === 0) {
    return textReply(
      name === undefined
        ? 'There are no presets here yet. Those who manage this channel can save one: preset save hiring --description "For decisions about people" --sages lawyer,economist'
        : `There is no preset “${name}” here.`,
    );
  }
  const blocks: readonly ReplyBlock[] = [
    {
      type: 'text',
      text: `${counted(wanted.length, 'preset')}. Ask with one: /council ask … preset:${wanted[0]?.key}`,
    },
    { type: 'fields', fields: wanted.map(fieldOf) },
  ];
  return { isPrivate: true, blocks };
}

const madeBy = { file: 'by the operator', server: 'for the whole server', channel: 'here' };

function fieldOf({ key, description, settings, origin }: Preset) {
  const values = presetSettings.flatMap((setting) => {
    const value = settings[setting];
    if (value === undefined) return [];
    return [`${setting}: ${Array.isArray(value) ? value.join(', ') : String(value)}`];
  });
  return { name: key, value: [description, ...values, `Made ${madeBy[origin]}.`].join('\n') };
}
