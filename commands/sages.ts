/** The commands for the bench and the custom sages of a channel. */

import { z } from 'zod';
import type { KeptDraft } from '../src/council/custom-sage.ts';
import type { Sage } from '../src/domain/turn.ts';
import { CommandError, hiddenOption, type Reply, textReply } from './command.ts';
import { type CommandContext, councilCommand } from './context.ts';

/** `/council sages`: lists the sages that may sit here. */
export const sages = councilCommand({
  name: 'sages',
  description: 'Who may sit in this council, and what each is for',
  async run({ bench, customSages }) {
    const makers = new Map(customSages.all.map(({ key, madeBy }) => [key, madeBy.name]));
    const absent = customSages.all.filter(({ key }) => bench.every((sage) => sage.key !== key));
    return {
      isPrivate: true,
      blocks: [
        {
          type: 'fields',
          fields: [
            ...bench.map((sage) => field(sage, makers.get(sage.key))),
            ...absent.map((sage) => field(sage, `${sage.madeBy.name}; not on the bench`)),
          ],
        },
        {
          type: 'text',
          text: `Begin a question with a name and a colon to hear one of them alone, e.g. “${bench[0]?.name}: what would you ask first?”`,
        },
      ],
    };
  },
});

function field(sage: Pick<Sage, 'key' | 'name' | 'description' | 'emoji'>, madeBy?: string) {
  return {
    name: `${sage.emoji ? `${sage.emoji} ` : ''}${sage.name} (${sage.key})`,
    value: madeBy === undefined ? sage.description : `${sage.description} (made here by ${madeBy})`,
  };
}

/** `/council summon`: drafts a sage for this channel and saves it once its maker has read it. */
export const summon = councilCommand({
  name: 'summon',
  description: 'Make a sage of your own for this channel; you read it before it is saved',
  options: {
    name: z.string().optional().describe('What the new sage is called, e.g. The Gardener'),
    description: z
      .string()
      .optional()
      .describe('Who it is and what it is for, in a sentence or two'),
    save: hiddenOption(z.string(), 'Id of a draft, to put that sage onto the bench'),
  },
  async run(context, { name, description, save }) {
    if (save !== undefined) return saved(context, save);
    if (name === undefined || description === undefined) {
      throw new CommandError(
        'A sage needs a name and a description. Write e.g. summon name:"The Gardener" description:"Grows things slowly; for questions where patience decides."',
      );
    }
    return preview(await context.customSages.draft(name, description));
  },
});

async function saved({ customSages }: CommandContext, draftId: string): Promise<Reply> {
  const { sage, sits } = await customSages.save(draftId);
  return textReply(
    sits
      ? `${sage.name} (${sage.key}) sits on this channel's bench from the next question.`
      : `${sage.name} (${sage.key}) is kept, but this channel's bench is a list of its own: a manager of the channel can add ${sage.key} to it.`,
  );
}

function preview({ id, name, description, prompt }: KeptDraft): Reply {
  const fields = [
    { name: 'Name', value: name },
    { name: 'For', value: description },
  ];
  const choices = [{ label: 'Save', command: `summon --save ${id}` }];
  return textReply(
    'Here is your sage. Nothing is saved yet, and the draft is kept for an hour. Once it is saved, everyone in this channel can ask it.',
    { type: 'fields', fields },
    { type: 'text', text: prompt },
    { type: 'choices', choices },
  );
}

/** `/council dismiss`: removes a custom sage. For its maker and managers. */
export const dismiss = councilCommand({
  name: 'dismiss',
  description: 'Take a sage that was made in this channel off its bench',
  options: { sage: z.string().describe('Key or name of a sage that was made in this channel') },
  async run(context, { sage }) {
    const { name } = await context.customSages.dismiss(sage);
    return textReply(`${name} no longer sits here. What it said stays.`);
  },
});
