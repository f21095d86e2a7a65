import { App, HTTPReceiver, type Installation, LogLevel } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { describe, expect, test } from 'vitest';
import { startSlack } from './slack.ts';

describe('an app that anybody may add', () => {
  test('gets a token for each workspace, and loses it when it is taken out', async () => {
    await using slack = await startSlack();
    const sparta = slack.addWorkspace('Sparta', { isInstalled: false });
    const leonidas = slack.addMember('Leonidas', { workspace: sparta, isOwner: true });
    const kept = new Map<string, Installation>();
    const receiver = new HTTPReceiver({
      signingSecret: slack.app.signingSecret,
      clientId: slack.app.clientId,
      clientSecret: slack.app.clientSecret,
      stateSecret: 'state secret',
      scopes: ['chat:write', 'commands'],
      installationStore: {
        storeInstallation: async (installation) => {
          kept.set(installation.team?.id ?? '', installation);
        },
        fetchInstallation: async ({ teamId = '' }) => {
          const installation = kept.get(teamId);
          if (installation === undefined) throw new Error(`not in ${teamId}`);
          return installation;
        },
      },
      installerOptions: {
        authorizationUrl: `${slack.origin}/oauth/v2/authorize`,
        clientOptions: { slackApiUrl: slack.api },
      },
      logLevel: LogLevel.ERROR,
    });
    const app = new App({
      receiver,
      clientOptions: { slackApiUrl: slack.api },
      logLevel: LogLevel.ERROR,
    });
    const server = await receiver.start({ port: 0, host: '127.0.0.1' });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The port is not known.');
    const origin = `http://127.0.0.1:${address.port}`;
    slack.deliverTo(`${origin}/slack/events`);
    const revoked: string[] = [];
    app.event('tokens_revoked', async ({ body }) => {
      revoked.push(body.team_id);
    });
    try {
      const back = `${origin}/slack/oauth_redirect`;
      const page = await leonidas.installs(`${origin}/slack/install`, { back });
      expect(page.status).toBe(200);
      const token = kept.get(sparta.id)?.bot?.token;
      const client = new WebClient(token, { slackApiUrl: slack.api });
      const me = await client.auth.test();
      expect(me).toMatchObject({ team: 'Sparta', team_id: sparta.id });
      expect(me.response_metadata?.scopes).toEqual(['chat:write', 'commands']);
      expect(token).not.toBe(slack.installation().botToken);
      await slack.uninstall(sparta);
      expect(revoked).toEqual([sparta.id]);
      await expect(client.auth.test()).rejects.toThrow('token_revoked');
    } finally {
      await receiver.stop();
    }
  });
});
