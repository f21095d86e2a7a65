import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { slackRecords } from '../../../src/app/platforms.ts';
import { SetupError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import {
  createTokenCipher,
  Installations,
} from '../../../src/platforms/slack/connection/installations.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { temporaryFolder } from '../../e2e/temporary-project.ts';

const token = 'xoxb-1-agora-and-more';
const key = () => randomBytes(32).toString('base64');

const bot = { token, scopes: ['chat:write'], id: 'B1', userId: 'U9' };
const agora: Installation<'v2', false> = {
  team: { id: 'T1', name: 'Agora' },
  enterprise: undefined,
  user: { id: 'U1', token: undefined, scopes: undefined },
  bot,
  isEnterpriseInstall: false,
  authVersion: 'v2',
};
const wholeCompany: Installation<'v2', true> = {
  ...agora,
  team: undefined,
  enterprise: { id: 'E1', name: 'Polis' },
  bot: { token: 'xoxb-1-polis', scopes: [], id: 'B2', userId: 'U8' },
  isEnterpriseInstall: true,
};
const inAgora = { teamId: 'T1', enterpriseId: undefined, isEnterpriseInstall: false };

/** A store in a file, and installations under a key. */
function opened(now: () => number = Date.now) {
  const path = join(temporaryFolder(), 'council.db');
  const store = openSqliteStore({ path });
  const records = slackRecords(store.settings, now);
  const under = (someKey: string) => new Installations(records, createTokenCipher(someKey), now);
  return { path, store, records, under };
}

describe('installations', () => {
  test('are kept and given back whole, also to another process', async () => {
    const { under } = opened();
    const one = key();
    await under(one).storeInstallation(agora);
    expect(await under(one).fetchInstallation(inAgora)).toMatchObject({
      team: agora.team,
      bot: agora.bot,
      user: { id: 'U1' },
    });
    expect(await under(one).tokenOf('T1')).toBe(token);
    expect(await under(one).list()).toEqual([
      expect.objectContaining({ name: 'Agora', scopes: ['chat:write'], isReadable: true }),
    ]);
  });

  test('leave no token in the file of the store', async () => {
    const { under, path, store } = opened();
    await under(key()).storeInstallation(agora);
    await store.close();
    const bytes = [path, `${path}-wal`].map((file) => {
      try {
        return readFileSync(file, 'latin1');
      } catch {
        return '';
      }
    });
    expect(bytes.join('')).toContain('Agora');
    expect(bytes.join('')).not.toContain('agora-and-more');
  });

  test('can not be read under another key, and what to do is said', async () => {
    const { under } = opened();
    await under(key()).storeInstallation(agora);
    const others = under(key());
    const error: unknown = await others.tokenOf('T1').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SetupError);
    expect(String(error)).toContain('COUNCIL_ENCRYPTION_KEY');
    expect(await others.list()).toMatchObject([{ name: 'Agora', isReadable: false }]);
  });

  test('that are added again are read under the new key', async () => {
    const { under } = opened();
    await under(key()).storeInstallation(agora);
    const others = under(key());
    await others.storeInstallation(agora);
    expect(await others.tokenOf('T1')).toBe(token);
  });

  test('of one workspace are of no use in the place of another', async () => {
    const { under, store } = opened();
    const installations = under(key());
    await installations.storeInstallation(agora);
    const [kept] = await store.settings.read(['slack:installation:T1']);
    const sealed = kept?.sealed?.value ?? null;
    await store.settings.write('slack:installation:T2', { sealed }, { setBy: 'x', setAt: 1 });
    await expect(installations.tokenOf('T2')).rejects.toThrow();
  });

  test('that were changed in the store are refused', async () => {
    const { under, store, records } = opened();
    const installations = under(key());
    await installations.storeInstallation(agora);
    const sealed = Object(await records.read('T1'));
    const data = Buffer.from(String(sealed.data), 'base64');
    data[0] = (data[0] ?? 0) ^ 1;
    const changed = { ...sealed, data: data.toString('base64') };
    await store.settings.write(
      'slack:installation:T1',
      { sealed: changed },
      { setBy: 'x', setAt: 1 },
    );
    await expect(installations.tokenOf('T1')).rejects.toThrow();
  });

  test('are gone when they are removed, and no one is answered by a remembered token', async () => {
    const { under } = opened();
    const installations = under(key());
    await installations.storeInstallation(agora);
    expect(await installations.tokenOf('T1')).toBe(token);
    await installations.remove('T1');
    await expect(installations.tokenOf('T1')).rejects.toThrow('/slack/install');
    await expect(installations.fetchInstallation(inAgora)).rejects.toThrow('/slack/install');
    expect(await installations.list()).toEqual([]);
  });

  test('that another process replaced are noticed within a minute', async () => {
    let time = Date.UTC(2026, 0);
    const { under } = opened(() => time);
    const one = key();
    const installations = under(one);
    await installations.storeInstallation(agora);
    expect(await installations.tokenOf('T1')).toBe(token);
    await under(one).storeInstallation({ ...agora, bot: { ...bot, token: 'xoxb-2-new' } });
    time += 60_001;
    expect(await installations.tokenOf('T1')).toBe('xoxb-2-new');
  });

  test('for a whole organisation serve its workspaces', async () => {
    const { under } = opened();
    const installations = under(key());
    await installations.storeInstallation(wholeCompany);
    const query = { teamId: 'T7', enterpriseId: 'E1', isEnterpriseInstall: false };
    expect((await installations.fetchInstallation(query)).bot?.token).toBe('xoxb-1-polis');
    expect(await installations.tokenOf('E1')).toBe('xoxb-1-polis');
  });

  test('without a bot are refused, not kept', async () => {
    const { under } = opened();
    const installations = under(key());
    const { bot: _, ...withoutBot } = agora;
    await expect(installations.storeInstallation(withoutBot)).rejects.toThrow(SetupError);
    expect(await installations.list()).toEqual([]);
  });
});

test('the same text is never sealed the same way twice', () => {
  const cipher = createTokenCipher(key());
  const one = cipher.seal(token, 'T1');
  const other = cipher.seal(token, 'T1');
  expect(one.nonce).not.toBe(other.nonce);
  expect(one.data).not.toBe(other.data);
  expect([cipher.open(one, 'T1'), cipher.open(other, 'T1')]).toEqual([token, token]);
});
