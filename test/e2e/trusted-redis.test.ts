import { expect, onTestFinished, test } from 'vitest';
import { makeAuthority } from '../fakes/certificates.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { runCouncil } from './council-process.ts';
import { temporaryProject } from './temporary-project.ts';

test('a Redis server with a certificate of one’s own is trusted by NODE_EXTRA_CA_CERTS, and not without', async () => {
  const authority = makeAuthority();
  const server = await startRedisServer({
    settings: { appendonly: 'yes' },
    certificate: authority.issue('localhost'),
  });
  onTestFinished(async () => {
    await server.remove();
    authority.remove();
  });
  await server.command('ACL', 'SETUSER', 'bot', 'on', '>the-secret', '~council:*', '&*', '+@all');
  const REDIS_URL = server.url.replace('//', '//bot:the-secret@');
  const doctor = (more: Readonly<Record<string, string>>) =>
    runCouncil({
      folder: temporaryProject({
        council: { fallbackSage: 'ada' },
        models: { default: 'ollama:sages' },
      }),
      args: ['doctor', '--offline'],
      environment: { REDIS_URL, ...more },
    });
  const [trusting, not] = await Promise.all([
    doctor({ NODE_EXTRA_CA_CERTS: authority.file }),
    doctor({}),
  ]);
  expect(trusting.code).toBe(0);
  expect(trusting.stdout).toMatch(/store rediss:\/\/localhost:\d+.*can be read and written/);
  expect(trusting.stdout).toMatch(/queue.*shared by all processes/);
  expect(not.code).toBe(1);
  expect(
    not.stdout.match(/from an authority that Node knows.*NODE_EXTRA_CA_CERTS=FILE/g),
  ).toHaveLength(2);
  expect(not.stdout + not.stderr).not.toContain('the-secret');
});
