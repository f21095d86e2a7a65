/** Opens the configured platforms: chats whose tokens are in the environment, and the web if it has a port. */

import { z } from 'zod';
import { commands } from '../../commands/index.ts';
import { channelIdsScope } from '../bot/places/channels.ts';
import type { Log } from '../domain/log.ts';
import { counted } from '../domain/words.ts';
import type { WatermarkRecords } from '../platforms/chat/event-watermark.ts';
import { UnansweredError } from '../platforms/chat/pacing/platform-error.ts';
import type { Discord, DiscordReport } from '../platforms/discord/discord.ts';
import type { OwnPicture } from '../platforms/discord/presenter/persona.ts';
import type { ServedPlatform } from '../platforms/platform.ts';
import type { ChannelIdRecords } from '../platforms/slack/connection/channel-ids.ts';
import type { InstallationRecords } from '../platforms/slack/connection/installations.ts';
import type { Slack, SlackAccess, SlackReport } from '../platforms/slack/slack.ts';
import { WebKeys } from '../platforms/web/keys.ts';
import type { Web, WebOptions } from '../platforms/web/web.ts';
import { ConfigError } from '../settings/config-source.ts';
import { discordVariable, roleVariable } from '../settings/environment.ts';
import type { Config } from '../settings/load.ts';
import { encryptionKeyVariable, slackVariables } from '../settings/slack-access.ts';
import { Notes, type SettingsStore, type Store, StoreError } from '../store/store.ts';
import { canShareQueue, chooseStore } from './store.ts';
import { keptKeys, webRecords, webSessionSecret, webShares } from './web-records.ts';

export interface Served {
  readonly platform: ServedPlatform;
  /** Lines for the operator, after the start. */
  report(): readonly string[];
}

/** Whether Slack is configured. Incomplete settings were refused when they were read. */
export function isSetForSlack({ secrets }: Config): boolean {
  return slackVariables.some((name) => secrets.get(name) !== undefined);
}

/** Whether a chat or the web is configured. */
export function hasPlatforms(config: Config): boolean {
  const { settings, secrets } = config;
  const hasChat = secrets.get(discordVariable) !== undefined || isSetForSlack(config);
  return hasChat || settings.web.port !== undefined;
}

/** @throws {ConfigError} if the process is a gateway or worker and no platform is configured. */
export function assertServable(config: Config): void {
  const { role } = config;
  if (role === 'all' || hasPlatforms(config)) return;
  const text = `a ${role} serves Discord, Slack or the web, and neither a token nor web.port is set. Set one, or remove ${roleVariable}`;
  throw new ConfigError([{ file: 'environment', setting: roleVariable, text }]);
}

/** Opens every configured platform. Each library is loaded on demand: it takes a good part of a start's time. */
export async function openPlatforms(
  config: Config,
  { log, store }: { readonly log: Log; readonly store: Store },
): Promise<readonly Served[]> {
  const { discord, slack, web } = config.settings;
  const served: Served[] = [];
  const token = config.secrets.get(discordVariable);
  if (token !== undefined) {
    const { createDiscord } = await import('../platforms/discord/discord.ts');
    const platform = createDiscord({
      token,
      commands,
      log,
      api: discord.apiUrl,
      ownPicture: ownPictureIn(config.pictures),
      missed: {
        listened: listenedRecords('discord', store.settings, Date.now),
        answerWithinMs: discord.answerMissedMinutes * 60_000,
      },
    });
    const rival = await rivalOf(config, store, platform);
    if (rival) {
      const waitS = Math.ceil((Number(rival[1]) + silentAfterMs - Date.now()) / 1000);
      throw new StoreError(
        `Another Discord bot (application ${rival[0]}) uses this store, and would take questions from this one’s queue. Give each bot a database of its own (docs/redis.md). If that bot has been replaced by this one, start again in ${waitS} s.`,
        { reason: 'in_use' },
      );
    }
    served.push({ platform, report: () => discordLines(platform.report()) });
  }
  if (isSetForSlack(config)) {
    const { createSlack } = await import('../platforms/slack/slack.ts');
    const platform = createSlack({
      access: slackAccess(config, store),
      commands,
      log,
      apiUrl: slack.apiUrl,
      channelIds: slackChannelIds(store.settings, Date.now),
      listened: listenedRecords('slack', store.settings, Date.now),
      sharesEvents: canShareQueue(chooseStore(config)),
      hearing: config.settings.limits,
      answerMissedWithinMs: slack.answerMissedMinutes * 60_000,
    });
    if (await rivalOf(config, store, platform)) log.warn({}, anotherSlackApp);
    served.push({ platform, report: () => slackLines(platform.report()) });
  }
  if (web.port !== undefined) served.push(await openWeb(config, web.port, { log, store }));
  return served;
}

/** @param port - As for `createWeb`. */
export async function openWeb(
  config: Config,
  port: number | undefined,
  { store, ...more }: Pick<WebOptions, 'log' | 'examples'> & { readonly store: Store },
): Promise<Served & { readonly platform: Web }> {
  const { web, limits, memory } = config.settings;
  const { createWeb } = await import('../platforms/web/web.ts');
  const platform = createWeb({
    ...web,
    ...more,
    port,
    v1: { limits, reasoningField: web.reasoningField },
    keys: new WebKeys(keptKeys(chooseStore(config), store.settings)),
    records: webRecords(store),
    shares: webShares(store, Date.now, memory.retentionDays),
    sessionSecret: () => webSessionSecret(store.settings, Date.now),
  });
  return { platform, report: () => [`The council is on the web: ${platform.address()}`] };
}

/** Looks up the pictures that lie beside the files of sages. */
export function ownPictureIn(pictures: Config['pictures']): OwnPicture {
  return ({ key, source }) => (source === 'predefined' ? pictures.get(key) : undefined);
}

function discordLines(report: DiscordReport): readonly string[] {
  const { servers, readsContent, gaps, inviteLink } = report;
  return [
    `Connected to Discord, in ${counted(servers, 'server')}.`,
    readsContent
      ? 'Follow-ups in a thread of the council need no mention.'
      : 'Follow-ups have to mention the bot. To change that, switch on “Message Content Intent” in the developer portal, under Bot, and start again.',
    ...gaps.map(({ guild, permission, lost }) => `In ${guild} it lacks ${permission}: ${lost}.`),
    `Add it to a server: ${inviteLink}`,
    ...(gaps.length === 0
      ? []
      : ['To grant what it lacks, open that link and choose the server again.']),
  ];
}

function slackAccess({ settings, secrets }: Config, store: Store): SlackAccess {
  const { http } = settings.slack;
  const botToken = secrets.get('SLACK_BOT_TOKEN');
  const appToken = secrets.get('SLACK_APP_TOKEN');
  const signingSecret = secrets.get('SLACK_SIGNING_SECRET');
  const clientId = secrets.get('SLACK_CLIENT_ID');
  const clientSecret = secrets.get('SLACK_CLIENT_SECRET');
  const encryptionKey = secrets.get(encryptionKeyVariable);
  if (botToken && appToken) return { kind: 'socket', botToken, appToken };
  if (botToken && signingSecret) return { kind: 'requests', botToken, signingSecret, ...http };
  if (clientId && clientSecret && signingSecret && encryptionKey) {
    return {
      kind: 'several workspaces',
      clientId,
      clientSecret,
      signingSecret,
      encryptionKey,
      ...http,
      records: slackRecords(store.settings, Date.now),
    };
  }
  throw new Error('The Slack settings are incomplete, but were not refused when they were read.');
}

function slackLines(report: SlackReport): readonly string[] {
  const { names, gaps, unreadable, listeningOn, installAt } = report;
  const transport = listeningOn === undefined ? 'over a socket' : `on port ${listeningOn}`;
  const workspaces = installAt === undefined ? `${names[0]}` : `${names.length} workspaces`;
  return [
    `Connected to Slack ${transport}, for ${workspaces}.`,
    ...gaps.map(({ workspace, scope, lost }) => `In ${workspace} it lacks ${scope}: ${lost}.`),
    ...(gaps.length === 0
      ? []
      : [
          'To grant the missing scopes, paste config/slack-manifest.yaml into your app’s page, under App Manifest, and install the app again.',
        ]),
    ...unreadable.map(
      (workspace) =>
        `The token of ${workspace} was encrypted under another ${encryptionKeyVariable}, so the bot can’t answer questions there. Restore that key; if it is lost, add the app there again.`,
    ),
    ...(installAt === undefined ? [] : [`Add it to a workspace: ${installAt}`]),
  ];
}

/** Stores changed channel ids beside the settings, by workspace. */
export function slackChannelIds(settings: SettingsStore, now: () => number): ChannelIdRecords {
  const notesOf = (team: string) => new Notes(settings, channelIdsScope(`slack:${team}`), { now });
  return {
    read: async (team) => z.map(z.string(), z.string()).parse(await notesOf(team).list()),
    write: (team, changes) => notesOf(team).put(changes),
  };
}

/** Stores beside the settings, for each app of a platform, the time up to which events have arrived. */
export function listenedRecords(
  platform: 'discord' | 'slack',
  settings: SettingsStore,
  now: () => number,
): WatermarkRecords {
  const notes = new Notes(settings, `listened:${platform}`, { now });
  const timeSchema = z.number().optional();
  return {
    read: async (app) => timeSchema.parse((await notes.list()).get(app)),
    write: (app, until) => notes.put({ [app]: until }),
  };
}

/** A bot stores each minute that it listens, and when it stops. */
const silentAfterMs = 150_000;

/** An app that listens over the same store, and when it last did: each would take questions of the other. */
async function rivalOf(config: Config, { settings }: Store, { name, appId }: Discord | Slack) {
  // A file is locked by its process.
  if (chooseStore(config).kind === 'sqlite') return undefined;
  // While Discord is away, a worker goes on for other chats.
  const own = await appId().catch((error: unknown) =>
    error instanceof UnansweredError ? undefined : Promise.reject(error),
  );
  const listened = await new Notes(settings, `listened:${name}`, { now: Date.now }).list();
  const since = Date.now() - silentAfterMs;
  return own && [...listened].find(([app, until]) => app !== own && Number(until) > since);
}

/** A new token looks like another app, so it is only said. */
const anotherSlackApp =
  'another Slack app has used this store in the last minutes; unless this one replaces it, each takes questions of the other: give each a database of its own (docs/redis.md)';

const sealedName = 'sealed';

/** Stores the installations of the Slack app beside the settings: the sealed tokens, and an index without secrets. */
export function slackRecords(settings: SettingsStore, now: () => number): InstallationRecords {
  const index = new Notes(settings, 'slack:installations', { now });
  const tokenOf = (team: string) => new Notes(settings, `slack:installation:${team}`, { now });
  return {
    read: async (team) => (await tokenOf(team).list()).get(sealedName),
    async write(team, sealed, facts) {
      await tokenOf(team).put({ [sealedName]: sealed });
      await index.put({ [team]: facts });
    },
    async remove(team) {
      await index.drop([team]);
      await tokenOf(team).drop([sealedName]);
    },
    list: () => index.list(),
  };
}
