/** Finds a command, checks who gave it and with which options, and runs it. */

import { z } from 'zod';
import {
  type Command,
  CommandError,
  faultWords,
  optionsForPeople,
  type Person,
  type Reply,
} from './command.ts';

/**
 * @param contextFor - Gives what the command works with, and the person with all that they may do.
 * @returns Never throws: what the person can mend is in the reply, and what nobody expected goes to `onFault`, which may have words for it.
 */
export async function runCommand<Context extends { readonly person: Person }>(
  commands: readonly Command<Context>[],
  given: {
    readonly command: string;
    readonly options: Readonly<Record<string, unknown>>;
  },
  contextFor: () => Promise<Context>,
  onFault: (error: unknown) => string | undefined,
): Promise<Reply> {
  try {
    const command = commands.find(({ name }) => name === given.command);
    if (!command) {
      const known = commands.map(({ name }) => name).join(', ');
      throw new CommandError(`There is no command “${given.command}”. There are: ${known}.`);
    }
    const context = await contextFor();
    if (command.allowed === 'managers' && !context.person.isManager) {
      throw new CommandError(`Only those who may manage this channel can use “${command.name}”.`);
    }
    const options = z.strictObject(command.options.shape).safeParse(given.options);
    if (!options.success) throw new CommandError(complaint(command, options.error));
    return await command.run(context, options.data);
  } catch (error) {
    if (error instanceof CommandError) return say(error.message);
    return say(onFault(error) ?? faultWords);
  }
}

function complaint<Context>(command: Command<Context>, error: z.ZodError): string {
  const known = optionsForPeople(command).map(
    ([name, option]) =>
      `${name} (${z.globalRegistry.get(option)?.description ?? 'no description'})`,
  );
  const wrong = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `unknown: ${issue.keys.join(', ')}`;
    return `${issue.path.join('.')}: ${issue.message}`;
  });
  const takes = known.length > 0 ? `It takes: ${known.join('; ')}.` : 'It takes no options.';
  return `“${command.name}” was given wrongly. ${wrong.join('; ')}. ${takes}`;
}

function say(text: string): Reply {
  return { isPrivate: true, blocks: [{ type: 'text', text }] };
}
