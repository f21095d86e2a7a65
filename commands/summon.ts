import { z } from 'zod';
import { type Command, CommandError, notForPeople, type Reply, textReply } from './command.ts';
import type { CommandContext, SageDraft } from './context.ts';

const options = z.object({
  name: z.string().optional().describe('What the new sage is called, e.g. The Gardener'),
  description: z.string().optional().describe('Who it is and what it is for, in a sentence or two'),
  save: z
    .string()
    .optional()
    .meta({ description: 'Id of a draft, to put that sage onto the bench', [notForPeople]: true }),
  discard: z
    .string()
    .optional()
    .meta({ description: 'Id of a draft, to let it go', [notForPeople]: true }),
});

/** `/council summon`: drafts a sage for this channel, and puts it onto the bench once its maker has read it. */
export const summon: Command<CommandContext> = {
  name: 'summon',
  description: 'Make a sage of your own for this channel; you read it before it is saved',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { name, description, save, discard } = options.parse(given);
    if (save !== undefined) return saved(context, save);
    if (discard !== undefined) {
      await context.customSages.discard(discard);
      return textReply('Draft discarded. Nothing was saved.');
    }
    if (name === undefined || description === undefined) {
      throw new CommandError(
        'A sage needs a name and a description. Write e.g. summon name:"The Gardener" description:"Grows things slowly; for questions where patience decides."',
      );
    }
    return preview(await context.customSages.draft(name, description));
  },
};

async function saved({ customSages }: CommandContext, draftId: string): Promise<Reply> {
  const { sage, sits } = await customSages.save(draftId);
  return textReply(
    sits
      ? `${sage.name} (${sage.key}) sits on this channel's bench from the next question.`
      : `${sage.name} (${sage.key}) is kept, but this channel's bench is a list of its own: a manager of the channel can add ${sage.key} to it.`,
  );
}

function preview({ id, name, description, prompt }: SageDraft): Reply {
  return {
    isPrivate: true,
    blocks: [
      {
        type: 'text',
        text: 'Here is your sage. Nothing is saved yet, and the draft is kept for an hour. Once it is saved, everyone in this channel can ask it.',
      },
      {
        type: 'fields',
        fields: [
          { name: 'Name', value: name },
          { name: 'For', value: description },
        ],
      },
      { type: 'text', text: prompt },
      {
        type: 'choices',
        choices: [
          { label: 'Save', command: `summon --save ${id}` },
          { label: 'Discard', command: `summon --discard ${id}` },
        ],
      },
    ],
  };
}
