/** Discord and Slack as the operator connects them: the questions of the set-up, and what a chat says of its tokens. */

import { listed } from '../../domain/words.ts';
import { discordTokenForm, discordVariable } from '../../settings/environment.ts';
import { isSetForSlack } from '../platforms.ts';
import type { TaskContext } from '../tasks/task.ts';
import { type Draft, noDraft } from './draft.ts';
import { keyProblem, warnOfOverride } from './models-step.ts';
import type { Prompts } from './prompts.ts';

type StepContext = Pick<TaskContext, 'config'>;
/** Returns the token of a variable, if there is one. */
type TokenOf = (variable: string) => string | undefined;

interface Chat {
  readonly name: string;
  readonly isSet: (config: StepContext['config']) => boolean;
  /** Tells people what the bot may do there. Throws an error that says what is wrong and what to do. */
  readonly examine: (context: StepContext, tokenOf?: TokenOf) => Promise<string>;
  readonly guide: readonly [title: string, steps: readonly string[]];
  /** What a person can paste, by variable: the question, and how the token begins. */
  readonly tokens: (config: StepContext['config']) => Tokens;
}
type Tokens = Readonly<Record<string, readonly [question: string, start: string]>>;

export const chats = {
  discord: {
    name: 'Discord',
    isSet: ({ secrets }) => secrets.get(discordVariable) !== undefined,
    async examine({ config }, tokenOf = (name) => config.secrets.get(name)) {
      const { examineDiscord } = await import('../../platforms/discord/rest/identity.ts');
      const { apiUrl: api } = config.settings.discord;
      return examineDiscord({ token: tokenOf(discordVariable) ?? '', api });
    },
    guide: [
      'A bot for Discord',
      [
        '1. Open https://discord.com/developers/applications and choose New Application.',
        '2. Under Bot, choose Reset Token and copy the token.',
        '3. There, switch on Message Content Intent: without it, follow-ups in a thread have to mention the bot.',
      ],
    ],
    tokens: () => ({ [discordVariable]: ['Paste the token of the bot. It is not shown.', ''] }),
  },
  slack: {
    name: 'Slack',
    isSet: isSetForSlack,
    async examine({ config }, tokenOf = (name) => config.secrets.get(name)) {
      const { examineSlack } = await import('../../platforms/slack/connection/access.ts');
      const [botToken, appToken] = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'].map(tokenOf);
      return examineSlack({ apiUrl: config.settings.slack.apiUrl, botToken, appToken });
    },
    guide: [
      'An app for Slack',
      [
        '1. Open https://api.slack.com/apps and choose Create New App → From a manifest. Paste what is in config/slack-manifest.yaml.',
        '2. Install App → Install to Workspace gives the token of the bot, xoxb-…',
        '3. For a socket, Basic Information → App-Level Tokens makes one with the scope connections:write, xapp-…',
      ],
    ],
    tokens({ secrets }): Tokens {
      // Each workspace that adds the app has a token of its own.
      if (secrets.get('SLACK_CLIENT_ID') !== undefined) return {};
      const overHttp = secrets.get('SLACK_SIGNING_SECRET') !== undefined;
      return {
        SLACK_BOT_TOKEN: ['Paste the token of the bot, xoxb-…', 'xoxb-'],
        ...(!overHttp && { SLACK_APP_TOKEN: ['Paste the app-level token, xapp-…', 'xapp-'] }),
      };
    },
  },
} as const satisfies Record<string, Chat>;

/** @returns The changes to write. Throws `Cancelled`. */
export async function chatStep(
  { name, isSet, guide, tokens, examine }: Chat,
  context: StepContext,
  prompts: Prompts,
): Promise<Draft> {
  const wanted = Object.entries(tokens(context.config));
  if (isSet(context.config)) {
    await works(prompts, name, () => examine(context));
    if (wanted.length === 0) return noDraft;
    if (!(await prompts.confirm(`${name} is set up. Enter another token?`))) return noDraft;
    const names = wanted.map(([variable]) => variable);
    warnOfOverride(prompts, listed(names, undefined, 'or'));
  }
  prompts.explain(...guide);
  while (true) {
    const variables: Record<string, string> = {};
    for (const [variable, [question, start]] of wanted) {
      variables[variable] = await prompts.secret(question, (typed) => {
        if (!typed.startsWith(start)) return `Expected a token that begins with ${start}`;
        const isOther = variable === discordVariable && !discordTokenForm.test(typed);
        return isOther ? 'Expected three parts with dots between them' : keyProblem(typed);
      });
    }
    const examineNew = () => examine(context, (variable) => variables[variable]);
    if ((await works(prompts, name, examineNew)) || (await keepsAnyway(prompts))) {
      return { variables, settings: [] };
    }
  }
}

/** Tests a token and shows the findings, one per line. @returns Whether the token works. */
async function works(
  prompts: Prompts,
  chat: string,
  examine: () => Promise<string>,
): Promise<boolean> {
  prompts.say('step', `Asking ${chat} …`);
  try {
    prompts.say('success', (await examine()).replaceAll('; ', '\n'));
    return true;
  } catch (error) {
    prompts.say('error', error instanceof Error ? error.message : String(error));
    return false;
  }
}

async function keepsAnyway(prompts: Prompts): Promise<boolean> {
  const next = await prompts.choose('What now?', [
    { value: 'again', label: 'Paste it again' },
    { value: 'keep', label: 'Keep it as it is' },
  ]);
  return next === 'keep';
}
