import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRecording, recordingNames, storeRecording } from '../../src/app/recordings.ts';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { isRecorded } from '../../src/domain/thread-id.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

const wordsIn = (text: string) => text.split(/\s+/).length;

describe.each(recordingNames)('the recorded council %s', (name) => {
  const turn = readRecording(name);
  const { seated, answers, reviews, ranked, verdict, request } = turn;

  test('has four answers of 80 to 160 words that open with a bold position', () => {
    expect(answers).toHaveLength(4);
    for (const { answer, summary } of answers) {
      expect(wordsIn(answer)).toBeGreaterThanOrEqual(80);
      expect(wordsIn(answer)).toBeLessThanOrEqual(160);
      expect(answer).toMatch(/^\*\*[^*]+[.?!]\*\*\s/);
      expect(summary).not.toContain('**');
    }
  });

  test('gives every seat one open question of at most 25 words', () => {
    for (const { focus } of seated.seats) {
      expect(focus).toMatch(/^[^?]+\?$/);
      expect(wordsIn(focus ?? '')).toBeLessThanOrEqual(25);
    }
  });

  test('has every answer reviewed under labels by each sage, with its gravest error', () => {
    const seats = answers.map(({ sage }) => sage).toSorted();
    expect(reviews.map(({ reviewer }) => reviewer).toSorted()).toEqual(seats);
    for (const { labels, text } of reviews) {
      expect(labels.map(({ sage }) => sage).toSorted()).toEqual(seats);
      expect(text).not.toMatch(/[{}]/);
      for (const { label } of labels) expect(text).toMatch(`GRAVEST ERROR: Response ${label}: `);
    }
    expect(new Set(reviews.map(({ labels }) => labels[0]?.sage)).size).toBeGreaterThan(1);
  });

  test('has one ballot that can’t be read, and a ranking by the other three', () => {
    expect(reviews.filter(({ ballot }) => ballot.status === 'abstained')).toHaveLength(1);
    expect(ranked.ranking.places.map(({ votes }) => votes)).toEqual([3, 3, 3, 3]);
    expect(ranked.ranking.agreement).toBeLessThan(1);
  });

  test('has a verdict of at most 250 words that names no procedure, with dissent', () => {
    expect(wordsIn(verdict.verdict)).toBeLessThanOrEqual(250);
    expect(verdict.verdict).toMatch(/^\*\*[^*]+\*\* /);
    expect(verdict.verdict).not.toMatch(/\b(?:sages?|ballots?|reviewers?|council|ranking)\b/i);
    expect(verdict.minorityReport).not.toBe('');
  });

  test('is kept as a turn that reads back whole, once', async () => {
    const store = openSqliteStore({ path: join(mkdtempSync(join(tmpdir(), 'council-')), 'a.db') });
    await storeRecording(store, turn);
    await storeRecording(store, readRecording(name));
    expect(isRecorded(request.threadId)).toBe(true);
    const kept = await store.turns.read(request);
    expect(kept && readPastTurn(kept)).toMatchObject({
      request,
      answers,
      reviews,
      ranked,
      verdict,
    });
    await store.close();
  });
});
