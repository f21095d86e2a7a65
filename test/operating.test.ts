import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseArguments } from '../src/app/operator/command-line.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      build: z.string().exactOptional(),
      command: z.array(z.string()).exactOptional(),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).exactOptional(),
      restart: z.string().exactOptional(),
    }),
  ),
});

describe('compose.yaml', () => {
  const { services } = composeSchema.parse(parse(read('compose.yaml'), { merge: true }));

  test('starts nothing again and again that was not found able to start', () => {
    const { check, ...others } = services;
    expect(check?.restart).toBe('no');
    const own = Object.values(others).filter(({ build }) => build !== undefined);
    const restarted = own.filter(({ restart = 'no' }) => restart !== 'no');
    expect(restarted).toHaveLength(2);
    for (const { depends_on } of restarted) {
      expect(depends_on?.check?.condition).toBe('service_completed_successfully');
    }
  });

  test('has the chats looked at before, and no model paid for', () => {
    const [program, path, ...words] = services.check?.command ?? [];
    expect([program, path]).toEqual(['node', 'src/index.ts']);
    expect(parseArguments(words, '0.0.0')).toEqual({ task: 'doctor', reach: 'chats' });
  });
});

describe('the systemd unit', () => {
  const unit = read('config/examples/council.service');
  const set = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  test('starts files that are there', () => {
    const [node = '', option, ...paths] = set('ExecStart')?.split(' ') ?? [];
    expect(node).toBe(`${set('WorkingDirectory')}/node_modules/.bin/node`);
    expect(option).toBe('--import');
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true);
  });

  test('does not start anew what has to be changed first', () => {
    expect(set('Restart')).toBe('on-failure');
    expect(set('RestartPreventExitStatus')).toBe('78');
  });
});
