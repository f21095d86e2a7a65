import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { Faces } from '../../../src/platforms/discord/presenter/persona.ts';
import { DiscordRest } from '../../../src/platforms/discord/rest/discord-rest.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';

afterEach(() => vi.restoreAllMocks());

test('a picture is uploaded once, however long the sage goes on speaking', async () => {
  await using world = await startWorld();
  const { token, api, applicationId, state } = world.discord;
  const rest = new DiscordRest({ token, api, timeoutMs: 2000, retryWaitsMs: [1] });
  const faces = new Faces({ rest, applicationId, ownPicture: () => undefined, log: silentLog });
  const sage = { key: 'ben', name: 'Ben', source: 'custom' } as const;
  const first = await faces.of(sage);
  expect(first).toBeDefined();
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + 3_600_000);
  expect(await faces.of(sage)).toBe(first);
  expect(state.emojis.size).toBe(1);
});
