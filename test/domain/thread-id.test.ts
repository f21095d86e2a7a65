import { describe, expect, test } from 'vitest';
import {
  channelOf,
  isSameChannel,
  partsOf,
  threadIdOf,
  workspaceOf,
  workspaceOfScope,
} from '../../src/domain/thread-id.ts';

describe('the id of a thread', () => {
  const id = 'slack:T1:C1:17.5';

  test('is made of its parts, and taken apart again', () => {
    const parts = { platform: 'slack', workspace: 'T1', channel: 'C1', thread: '17.5' };
    expect(partsOf(id)).toEqual(parts);
    expect(threadIdOf(parts)).toBe(id);
  });

  test('keeps colons in its last part', () => {
    expect(partsOf('terminal:a:b:c:d').thread).toBe('c:d');
    expect(threadIdOf(partsOf('terminal:a:b:c:d'))).toBe('terminal:a:b:c:d');
  });

  test('names its channel and workspace; a shorter id is its own', () => {
    expect(channelOf(id)).toBe('slack:T1:C1');
    expect(workspaceOf(id)).toBe('slack:T1');
    expect([channelOf('a:b'), workspaceOf('a:b:c')]).toEqual(['a:b', 'a:b:c']);
  });

  test('tells threads of one channel from those of another', () => {
    expect(isSameChannel(id, 'slack:T1:C1:18.5')).toBe(true);
    expect(isSameChannel(id, 'slack:T1:C2:17.5')).toBe(false);
    expect(isSameChannel(id, 'discord:T1:C1:17.5')).toBe(false);
  });

  test('gives the workspace of a scope', () => {
    expect(workspaceOfScope('channel:slack:T1:C1')).toBe('slack:T1');
    expect(workspaceOfScope('rehearsal')).toBe('rehearsal');
  });
});
