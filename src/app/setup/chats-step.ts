/** The set-up steps that connect Discord and Slack. */

import { discordVariable } from '../platforms.ts';
import type { TaskContext } from '../tasks/task.ts';
import { type Draft, noDraft } from './draft.ts';
import { keyProblem } from './models-step.ts';
import type { Prompts } from './prompts.ts';

type StepContext = Pick<TaskContext, 'config'>;

/** @returns The changes to write. Throws `Cancelled`. */
export async function discordStep({ config }: StepContext, prompts: Prompts): Promise<Draft> {
  const { apiUrl } = config.settings.discord;
  const current = config.secrets.get(discordVariable);
  const examine = async (token: string) => {
    const { examineDiscord } = await import('../../platforms/discord/rest/identity.ts');
    return examineDiscord({ token, api: apiUrl });
  };
  if (current !== undefined && !(await isReplaced(prompts, 'Discord', () => examine(current)))) {
    return noDraft;
  }
  prompts.explain('A bot for Discord', [
    '1. Open https://discord.com/developers/applications and choose New Application.',
    '2. Under Bot, choose Reset Token and copy the token.',
    '3. There, switch on Message Content Intent: without it, follow-ups in a thread have to mention the bot.',
  ]);
  while (true) {
    const token = await prompts.secret('Paste the token of the bot. It is not shown.', keyProblem);
    if ((await works(prompts, 'Discord', () => examine(token))) || (await keepsAnyway(prompts))) {
      return { variables: { [discordVariable]: token }, settings: [] };
    }
  }
}

/** @returns The changes to write. Throws `Cancelled`. */
export async function slackStep({ config }: StepContext, prompts: Prompts): Promise<Draft> {
  const { apiUrl } = config.settings.slack;
  const examine = async (botToken?: string, appToken?: string) => {
    const { examineSlack } = await import('../../platforms/slack/connection/access.ts');
    return examineSlack({ apiUrl, botToken, appToken });
  };
  const current = config.secrets.get('SLACK_BOT_TOKEN');
  const examineCurrent = () => examine(current, config.secrets.get('SLACK_APP_TOKEN'));
  if (current !== undefined && !(await isReplaced(prompts, 'Slack', examineCurrent))) {
    return noDraft;
  }
  prompts.explain('An app for Slack', [
    '1. Open https://api.slack.com/apps and choose Create New App → From a manifest. Paste what is in config/slack-manifest.yaml.',
    '2. Install App → Install to Workspace gives the token of the bot, xoxb-…',
    '3. Basic Information → App-Level Tokens makes one with the scope connections:write, xapp-…',
  ]);
  while (true) {
    const botToken = await prompts.secret('Paste the token of the bot, xoxb-…', tokenOf('xoxb-'));
    const appToken = await prompts.secret('Paste the app-level token, xapp-…', tokenOf('xapp-'));
    const examineNew = () => examine(botToken, appToken);
    if ((await works(prompts, 'Slack', examineNew)) || (await keepsAnyway(prompts))) {
      const variables = { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken };
      return { variables, settings: [] };
    }
  }
}

function tokenOf(start: string): (typed: string) => string | undefined {
  return (typed) =>
    typed.startsWith(start) && keyProblem(typed) === undefined
      ? undefined
      : `Expected a token that begins with ${start}`;
}

/** Tests the current token, and asks whether to replace it. */
async function isReplaced(
  prompts: Prompts,
  chat: string,
  examine: () => Promise<string>,
): Promise<boolean> {
  await works(prompts, chat, examine);
  return prompts.confirm(`${chat} is set up. Enter another token?`);
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
