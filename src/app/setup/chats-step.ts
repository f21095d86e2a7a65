/** The steps that connect Discord and Slack. */

import { discordVariable } from '../platforms.ts';
import type { Surroundings } from '../session.ts';
import type { Draft } from './draft.ts';
import { wrongWithKey } from './models-step.ts';
import type { Prompts } from './prompts.ts';

type World = Pick<Surroundings, 'config'>;

/** @returns What to write. Throws `Cancelled`. */
export async function discordStep({ config }: World, prompts: Prompts): Promise<Draft> {
  const { apiUrl } = config.settings.discord;
  const present = config.secrets.get(discordVariable);
  const examine = async (token: string) => {
    const { examineDiscord } = await import('../../platforms/discord/rest/identity.ts');
    return examineDiscord({ token, api: apiUrl });
  };
  if (present !== undefined && !(await isReplaced(prompts, 'Discord', () => examine(present)))) {
    return { variables: {}, settings: [] };
  }
  prompts.explain('A bot for Discord', [
    '1. Open https://discord.com/developers/applications and choose New Application.',
    '2. Under Bot, choose Reset Token and copy the token.',
    '3. There, switch on Message Content Intent: without it, follow-ups in a thread have to mention the bot.',
  ]);
  while (true) {
    const token = await prompts.secret(
      'Paste the token of the bot. It is not shown.',
      wrongWithKey,
    );
    const isWell = await told(prompts, 'Discord', () => examine(token));
    if (isWell || (await keepsAnyway(prompts))) {
      return { variables: { [discordVariable]: token }, settings: [] };
    }
  }
}

/** @returns What to write. Throws `Cancelled`. */
export async function slackStep({ config }: World, prompts: Prompts): Promise<Draft> {
  const { apiUrl } = config.settings.slack;
  const examine = async (botToken?: string, appToken?: string) => {
    const { examineSlack } = await import('../../platforms/slack/connection/access.ts');
    return examineSlack({ apiUrl, botToken, appToken });
  };
  const present = config.secrets.get('SLACK_BOT_TOKEN');
  const looked = () => examine(present, config.secrets.get('SLACK_APP_TOKEN'));
  if (present !== undefined && !(await isReplaced(prompts, 'Slack', looked))) {
    return { variables: {}, settings: [] };
  }
  prompts.explain('An app for Slack', [
    '1. Open https://api.slack.com/apps and choose Create New App → From a manifest. Paste what is in config/slack-manifest.yaml.',
    '2. Install App → Install to Workspace gives the token of the bot, xoxb-…',
    '3. Basic Information → App-Level Tokens makes one with the scope connections:write, xapp-…',
  ]);
  while (true) {
    const botToken = await prompts.secret('Paste the token of the bot, xoxb-…', tokenOf('xoxb-'));
    const appToken = await prompts.secret('Paste the app-level token, xapp-…', tokenOf('xapp-'));
    const isWell = await told(prompts, 'Slack', () => examine(botToken, appToken));
    if (isWell || (await keepsAnyway(prompts))) {
      return {
        variables: { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken },
        settings: [],
      };
    }
  }
}

function tokenOf(start: string): (typed: string) => string | undefined {
  return (typed) =>
    typed.startsWith(start) && wrongWithKey(typed) === undefined
      ? undefined
      : `Expected a token that begins with ${start}`;
}

/** Shows how what is set does, and asks whether to replace it. */
async function isReplaced(
  prompts: Prompts,
  what: string,
  look: () => Promise<string>,
): Promise<boolean> {
  await told(prompts, what, look);
  return prompts.confirm(`${what} is set up. Enter another token?`);
}

/** Tells what was found, each finding on its line. @returns Whether it can be used. */
async function told(prompts: Prompts, what: string, look: () => Promise<string>): Promise<boolean> {
  prompts.say('step', `Asking ${what} …`);
  try {
    prompts.say('success', (await look()).replaceAll('; ', '\n'));
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
