import { createSlackApi, type SlackApi } from './api/slack-api.ts';
import { readIdentity } from './connection/identity.ts';
import { socketAddress } from './connection/socket-address.ts';
import { scopeGaps } from './permissions.ts';
import { SlackUnanswered } from './slack-error.ts';

const timeoutMs = 10_000;

export interface ExamineOptions {
  readonly apiUrl: string;
  /** Absent where several workspaces are served: their tokens are in the store. */
  readonly botToken: string | undefined;
  /** Absent where Slack sends requests. */
  readonly appToken: string | undefined;
}

/**
 * Looks whether the bot could be started, without taking an event from a bot that runs.
 *
 * @returns What was found, for the operator.
 * @throws {SlackSetupError} when a token is not accepted; `SlackUnanswered` when Slack can't be reached.
 */
export async function examineSlack(options: ExamineOptions): Promise<string> {
  const { apiUrl, botToken, appToken } = options;
  const apiWith = (token: string) => createSlackApi({ apiUrl, timeoutMs, tokenOf: () => token });
  const found = [
    botToken === undefined ? await lookAtWay(apiUrl) : await lookAtBot(apiWith(botToken)),
    ...(appToken === undefined ? [] : [await lookAtSocket(apiWith(appToken))]),
  ];
  return found.join('; ');
}

async function lookAtBot(api: SlackApi): Promise<string> {
  const { teamName, scopes } = await readIdentity(api, 'one');
  const gaps = scopes === undefined ? [] : scopeGaps(teamName, scopes);
  return [
    `the token is accepted, for ${teamName}`,
    ...gaps.map(({ scope, lost }) => `it lacks ${scope}: ${lost}`),
  ].join('; ');
}

async function lookAtWay(apiUrl: string): Promise<string> {
  await reach(apiUrl, 'Slack');
  return 'Slack can be reached; tokens of workspaces are looked at when the bot starts';
}

async function lookAtSocket(api: SlackApi): Promise<string> {
  const url = await socketAddress(api);
  // Without its ticket, so that no event goes astray.
  await reach(
    new URL(url.replace(/^ws/, 'http')).origin,
    'the app token is accepted, but its socket',
  );
  return 'the app token is accepted, and its socket can be reached';
}

/** Any answer shows that the way is open. */
async function reach(address: string, what: string): Promise<void> {
  await fetch(address, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new SlackUnanswered(
      `${what} can't be reached: no answer from ${new URL(address).host}. See that nothing in between blocks it.`,
      { cause: error },
    );
  });
}
