import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { App } from '@slack/bolt';
import { describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  askShortcut,
  type Scope,
  scopeGaps,
  scopeNames,
  scopes,
  slashName,
} from '../../../src/platforms/slack/connection/identity.ts';
import { listen } from '../../../src/platforms/slack/ingress/listen.ts';
import { peopleOf } from '../../../src/platforms/slack/ingress/people.ts';
import { RecentThreads } from '../../../src/platforms/slack/surroundings/recent-threads.ts';
import { recordingLog } from '../discord/discord-world.ts';
import { ScriptedIngress } from '../terminal/scripted-ingress.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** What Council uses of a manifest, within Slack's bounds. Anything else in it is a mistake. */
const manifestSchema = z.strictObject({
  display_information: z.strictObject({
    name: z.string().max(35),
    description: z.string().max(140),
    background_color: z.string().regex(/^#[0-9a-f]{6}$/),
  }),
  features: z.strictObject({
    agent_view: z.strictObject({ agent_description: z.string().max(300) }),
    app_home: z.strictObject({
      home_tab_enabled: z.literal(true),
      messages_tab_enabled: z.literal(true),
      messages_tab_read_only_enabled: z.literal(false),
    }),
    bot_user: z.strictObject({
      display_name: z.string().regex(/^[a-z0-9._-]{1,80}$/),
      always_online: z.literal(true),
    }),
    shortcuts: z.array(
      z.strictObject({
        name: z.string().max(24),
        type: z.enum(['global', 'message']),
        callback_id: z.string().max(255),
        description: z.string().max(150),
      }),
    ),
    slash_commands: z.array(
      z.strictObject({
        command: z.string().startsWith('/').max(32),
        description: z.string().max(2000),
        usage_hint: z.string().max(1000),
        should_escape: z.literal(true),
      }),
    ),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: z.array(z.string()) }) }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ bot_events: z.array(z.string()) }),
    interactivity: z.strictObject({ is_enabled: z.literal(true) }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.literal(true),
    token_rotation_enabled: z.literal(false),
  }),
});

const manifest = manifestSchema.parse(
  parse(readFileSync(join(root, 'config', 'slack-manifest.yaml'), 'utf8')),
);

/** Every method of the Web API that is called, with the scopes that it takes. */
const methods: Readonly<Record<string, readonly Scope[]>> = {
  'assistant.threads.setStatus': ['assistant:write', 'chat:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'assistant.threads.setTitle': ['assistant:write'],
  'auth.teams.list': [],
  'auth.test': [],
  'chat.appendStream': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write', 'chat:write.customize'],
  'chat.startStream': ['chat:write', 'chat:write.customize'],
  'chat.stopStream': ['chat:write'],
  'chat.update': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.info': ['channels:read', 'groups:read', 'mpim:read'],
  'conversations.members': ['channels:read', 'groups:read', 'mpim:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'files.delete': ['files:write'],
  'files.info': ['files:read'],
  'files.uploadV2': ['files:write'],
  'users.conversations': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'users.info': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};

/** Methods that are called with the app's own token, whose scopes are no matter of an installation. */
const appMethods: Readonly<Record<string, string>> = {
  'apps.connections.open': 'connections:write',
};

/** Every event that is subscribed to, with the scopes that it takes. */
const events: Readonly<Record<string, readonly Scope[]>> = {
  agent_session_stopped: [],
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_deleted: ['channels:read'],
  channel_id_changed: ['channels:read', 'groups:read'],
  group_deleted: ['groups:read'],
  member_joined_channel: ['channels:read', 'groups:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  tokens_revoked: [],
};

/** What people start from a menu or by typing a command takes this. */
const commandScope: Scope = 'commands';

/** Everything that the platform's own code says, but for the list that it is held to. */
const source = readdirSync(join(root, 'src/platforms/slack'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.ts') && name !== 'permissions.ts')
  .map((name) => readFileSync(join(root, 'src/platforms/slack', name), 'utf8'))
  .join('\n');

function found(pattern: RegExp): readonly string[] {
  return [...new Set([...source.matchAll(pattern)].flatMap((match) => match[1] ?? []))].toSorted();
}

/** The types of the events that the real listeners are set for. */
function eventsListenedTo(): readonly unknown[] {
  const app = new App({ signingSecret: 'secret', authorize: async () => ({}) });
  const set = vi.spyOn(app, 'event');
  const lookup = {
    api: { call: () => Promise.reject(new Error('Nothing is called.')) },
    log: recordingLog().log,
    now: Date.now,
  };
  listen(app, {
    ...lookup,
    ingress: new ScriptedIngress(() => expect.unreachable('Nothing is asked.')),
    people: peopleOf(lookup),
    recent: new RecentThreads(),
    withEvents: async (question) => question,
    identityElsewhere: async () => undefined,
    commands: [],
    answerMissedWithinMs: 0,
    noticeFor: () => undefined,
    onRemoved: async () => undefined,
    onIdChanged: async () => undefined,
  });
  return set.mock.calls.map(([type]) => type);
}

describe('the manifest', () => {
  test('asks for exactly the scopes that are listed', () => {
    expect(manifest.oauth_config.scopes.bot).toEqual(scopeNames.toSorted());
  });

  test('subscribes to exactly the events that are listed', () => {
    expect(manifest.settings.event_subscriptions.bot_events).toEqual(
      Object.keys(events).toSorted(),
    );
  });

  test('has the command, the shortcut and the events that the code listens to, and no others', () => {
    const subscribed = Object.keys(events).map((name) => name.replace(/^message\..*/, 'message'));
    expect(eventsListenedTo().toSorted()).toEqual([...new Set(subscribed)].toSorted());
    expect(found(/\bapp\.(?:command|shortcut)\(\s*(?:\{ callback_id: )?(\w+)/g)).toEqual([
      'askShortcut',
      'slashName',
    ]);
    expect(manifest.features.slash_commands.map(({ command }) => command)).toEqual([slashName]);
    expect(manifest.features.shortcuts.map(({ callback_id }) => callback_id)).toEqual([
      askShortcut,
    ]);
  });
});

describe('the list of permissions', () => {
  test('has exactly the methods that the code calls', () => {
    const called = found(
      /'((?:apps|assistant|auth|bots|bookmarks|canvases|chat|conversations|dnd|emoji|files|lists|pins|reactions|reminders|search|team|usergroups|users|views)\.[A-Za-z0-9.]+)'/g,
    );
    expect(called).toEqual([...Object.keys(methods), ...Object.keys(appMethods)].toSorted());
  });

  test('asks for no scope that nothing needs', () => {
    const needed = new Set([
      ...Object.values(methods).flat(),
      ...Object.values(events).flat(),
      commandScope,
    ]);
    expect([...needed].toSorted()).toEqual(scopeNames.toSorted());
  });

  test('is told in docs/slack.md', () => {
    const page = readFileSync(join(root, 'docs', 'slack.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z_:.]+)` \| (.*) \|$/gm)].map((row) => row.slice(1));
    expect(rows).toEqual(Object.entries(scopes));
  });

  test('tells what is lost without each scope', () => {
    const gaps = scopeGaps('Agora', []);
    expect(gaps.map(({ scope }) => scope)).toEqual(scopeNames);
    for (const { lost } of gaps) expect(lost).toMatch(/^[a-z/].{10,}[^.]$/);
    expect(scopeGaps('Agora', scopeNames)).toEqual([]);
  });
});
