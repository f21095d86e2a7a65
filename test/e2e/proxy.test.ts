import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { startRehearsalServer } from '../fakes/rehearsal/server.ts';
import { startSlack } from '../fakes/slack/slack.ts';
import { companyNetwork } from './company-network.ts';
import { runCouncil } from './council-process.ts';
import { runProgram } from './running-program.ts';
import { temporaryProject } from './temporary-project.ts';

/** Discord, Slack and a model that can be reached through a proxy alone, and the program's settings for them. */
async function startCompany() {
  const { discord } = await startWorld({ origin: 'https://discord.test' });
  const slack = await startSlack({ origin: 'https://slack.test' });
  const models = await startRehearsalServer({ sages: [] });
  onTestFinished(async () => {
    await Promise.all([discord.close(), slack.close(), models.close()]);
  });
  const network = await companyNetwork({
    'discord.test': Number(new URL(discord.api).port),
    'slack.test': slack.port,
    'models.test': Number(new URL(models.baseUrl).port),
  });
  const settings = {
    council: { fallbackSage: 'ada' },
    models: {
      default: 'rehearsal:sages',
      providers: { rehearsal: { baseUrl: 'https://models.test/v1' } },
    },
    discord: { apiUrl: 'https://discord.test/api' },
    slack: { apiUrl: 'https://slack.test/api/' },
  };
  const environment = {
    NODE_EXTRA_CA_CERTS: network.authorityFile,
    DISCORD_TOKEN: discord.token,
    SLACK_BOT_TOKEN: slack.installation().botToken,
    SLACK_APP_TOKEN: slack.app.appToken,
  };
  return { network, settings, environment };
}

test('a bot goes through the proxy with all that it says, its live connections too', async () => {
  const { network, settings, environment } = await startCompany();
  // Written as other programs take it: without a scheme, and for HTTP alone.
  const http_proxy = new URL(network.proxy).host;
  const program = runProgram(settings, { ...environment, http_proxy });
  await expect.poll(program.printed).toContain('Connected to Discord, in 1 server.');
  await expect.poll(program.printed).toContain('Connected to Slack over a socket, for Agora.');
  expect(await program.end()).toBe(0);
  expect([...network.asked].toSorted()).toEqual(['discord.test:443', 'slack.test:443']);
});

test('doctor goes by the proxy in .env, and says what the proxy refuses', async () => {
  const { network, settings, environment } = await startCompany();
  network.refusals.set('slack.test', 407).set('models.test', 403);
  const folder = temporaryProject(settings, { '.env': `HTTPS_PROXY="${network.proxy}"\n` });
  const refused = await runCouncil({ folder, environment, args: ['doctor'] });
  expect(refused.stdout).toContain('✓ Discord: the token is accepted');
  expect(refused.stdout).toMatch(/✗ Slack: .*: the proxy wants a user and password, or others/);
  expect(refused.stdout).toMatch(
    /✗ model rehearsal:sages: https:\/\/models\.test\/v1 can't be reached: the proxy refuses to connect to that host \(HTTP 403\)/,
  );
  network.refusals.clear();
  const allowed = await runCouncil({ folder, environment, args: ['doctor'] });
  expect(allowed.stdout).toContain('Everything works.');
});
