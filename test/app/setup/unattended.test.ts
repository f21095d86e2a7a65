import { chmodSync, chownSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { setupUnattended } from '../../../src/app/tasks/setup.ts';
import type { SetupOptions } from '../../../src/app/tasks/task.ts';
import { loadConfig } from '../../../src/settings/load.ts';
import { filesOf, openProject, type Project, rightKey } from './project.ts';

async function run({ places }: Project, options: Partial<SetupOptions>) {
  const output = new PassThrough();
  const errors = new PassThrough();
  const ending = new AbortController().signal;
  const config = loadConfig(places);
  const world = { config, places, ending, output, errors };
  const code = await setupUnattended(world, { isYes: false, ...options });
  return { code, said: String(output.read() ?? ''), failed: String(errors.read() ?? '') };
}

const withMyKey = { MY_KEY: rightKey };

describe('the set-up by options', () => {
  test('tries the model, tells who will speak, and writes only with --yes', async () => {
    const project = await openProject({ environment: withMyKey });
    const before = filesOf(project);
    const options = { provider: 'openai', keyEnv: 'MY_KEY', model: 'gpt-5.1' };
    const tried = await run(project, options);
    expect(tried).toMatchObject({ code: 0, failed: '' });
    expect(tried.said).toMatch(
      /^openai:gpt-5\.1 speaks for all; about 11 calls.*\nNothing was written\./,
    );
    expect(filesOf(project)).toEqual(before);
    const written = await run(project, { ...options, isYes: true });
    expect(written.said).toMatch(/Written: .*\.env and .*council\.yaml\.\n$/);
    expect(written.said + written.failed).not.toContain(rightKey);
    expect(filesOf(project)['.env']).toBe(`OPENAI_API_KEY=${rightKey}\n`);
    expect(statSync(join(project.project, '.env')).mode & 0o777).toBe(0o600);
    expect(loadConfig(project.places).settings.models.default).toBe('openai:gpt-5.1');
  });

  test('takes what it finds where nothing is named', async () => {
    const project = await openProject({ environment: { OPENAI_API_KEY: rightKey } });
    expect(await run(project, { isYes: true })).toMatchObject({ code: 0 });
    expect(loadConfig(project.places).settings.models.default).toBe('openai:gpt-5-mini');
  });

  test('takes a server at an address, and further models for the sages', async () => {
    const project = await openProject({ environment: withMyKey });
    const address = project.server.baseUrl;
    const options = { address, keyEnv: 'MY_KEY', sageModels: ['own:gpt-5.1'], isYes: true };
    expect(await run(project, options)).toMatchObject({ code: 0, failed: '' });
    const { models } = loadConfig(project.places).settings;
    expect(models.default).toBe('own:gpt-5-mini');
    expect(models.sages).toEqual({ ada: 'own:gpt-5-mini', strategy_expert: 'own:gpt-5.1' });
    expect(models.providers.own).toMatchObject({ baseUrl: address, apiKeyEnv: 'OWN_API_KEY' });
    expect(filesOf(project)['.env']).toBe(`OWN_API_KEY=${rightKey}\n`);
  });

  test('takes another address for a provider that is known', async () => {
    const project = await openProject({ environment: withMyKey });
    const address = project.server.baseUrl;
    const options = { provider: 'groq', address, keyEnv: 'MY_KEY', model: 'm', isYes: true };
    expect(await run(project, options)).toMatchObject({ code: 0, failed: '' });
    const { models } = loadConfig(project.places).settings;
    expect(models.providers.groq).toMatchObject({ baseUrl: address, apiKeyEnv: 'GROQ_API_KEY' });
  });

  test.each<[string, Partial<SetupOptions>, RegExp]>([
    ['a key that is not set', { provider: 'openai', keyEnv: 'NO_KEY' }, /^NO_KEY is not set\./],
    ['no key at all', { provider: 'openai' }, /^OpenAI needs a key\. Set OPENAI_API_KEY/],
    ['a wrong key', { provider: 'openai', keyEnv: 'WRONG' }, /rejected \(401\)\. Check WRONG\./],
    ['a provider that nobody knows', { provider: 'acme' }, /^acme is not known\. Known are openai/],
    ['a server that does not run', { provider: 'vllm' }, /^No model server answers at http/],
    [
      'a server that lists nothing',
      { address: 'http://127.0.0.1:1/v1' },
      /^The models of your server could not be listed: .*ECONNREFUSED.*\. Name one with --model\./,
    ],
    ['nothing to find', {}, /^No model server runs here and no key is set\./],
  ])('says what to do about %s, and writes nothing', async (_what, options, said) => {
    const project = await openProject({ environment: { WRONG: 'sk-wrong' } });
    const before = filesOf(project);
    const { code, failed } = await run(project, { ...options, isYes: true });
    expect(code).toBe(1);
    expect(failed).toMatch(said);
    expect(failed).toMatch(/Nothing was written\.\n$/);
    expect(filesOf(project)).toEqual(before);
  });

  const useIt = { provider: 'openai', keyEnv: 'MY_KEY', model: 'gpt-5.1', isYes: true } as const;

  test('leaves the files it changes to their owner', async () => {
    const project = await openProject({ env: 'A=1\n', environment: withMyKey });
    const env = join(project.project, '.env');
    const council = join(project.project, 'config/council.yaml');
    const isRoot = process.getuid?.() === 0;
    const before = statSync(env);
    const owner = isRoot ? { uid: 4242, gid: 4243 } : { uid: before.uid, gid: before.gid };
    for (const path of [env, council]) chownSync(path, owner.uid, owner.gid);
    chmodSync(council, 0o640);
    expect(await run(project, useIt)).toMatchObject({ code: 0 });
    for (const path of [env, council]) expect(statSync(path)).toMatchObject(owner);
    expect(statSync(council).mode & 0o777).toBe(0o640);
    expect(statSync(env).mode & 0o777).toBe(0o600);
  });

  test('writes neither file where one can’t be written, and says why', async () => {
    const project = await openProject({ env: 'A=1\n', environment: withMyKey });
    const before = filesOf(project);
    symlinkSync('/no/folder', `${project.places.directory}/council.yaml.${process.pid}.new`);
    const { code, failed } = await run(project, useIt);
    expect({ code, failed }).toEqual({
      code: 1,
      failed: expect.stringMatching(
        /^The settings can't be written: ENOENT: .*\. Nothing was written\.\n$/,
      ),
    });
    expect(filesOf(project)).toEqual(before);
  });

  test('says what to write by hand into a file that it can’t change', async () => {
    const project = await openProject({ environment: withMyKey });
    const council = join(project.places.directory, 'council.yaml');
    writeFileSync(council, '{ council: { fallbackSage: ada } }\n');
    const { baseUrl: address } = project.server;
    const { failed } = await run(project, { ...useIt, provider: 'own', address });
    expect(failed).toMatch(
      /^\S+\/config\/council\.yaml can't be changed .*own.* by hand\. Nothing was written\.\n$/,
    );
  });
});
