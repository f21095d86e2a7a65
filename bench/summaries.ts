/**
 * How many calls a window of a real conversation takes to be summed up: by a model that writes well, and by
 * one whose first try leaves something out. The summaries were written beforehand; so the figures are those
 * of what is demanded, and not of any model.
 */

import { compressWindow } from '../src/memory/shards/keep-windows.ts';
import { wordCount } from '../src/memory/summaries/passages.ts';
import { scriptedModel } from '../test/fakes/scripted-model.ts';
import { type RealWindow, realWindows } from '../test/memory/summaries/real-windows.ts';
import { printTable } from './table.ts';

export async function benchSummaries(): Promise<void> {
  const rows: string[][] = [];
  const calls = { good: 0, bad: 0, badTries: 0 };
  for (const window of realWindows) {
    const well = await summedUp(window, [window.good]);
    calls.good += well.calls;
    for (const [, text] of window.bad) {
      calls.bad += (await summedUp(window, [text])).calls;
      calls.badTries += 1;
    }
    const said = wordCount(window.sources.map(({ text }) => text).join('\n'));
    rows.push([
      ...[window.name, window.sources.length, said, well.limit, wordCount(window.good)].map(String),
      ...[well.calls, well.isWhole ? 'yes' : 'no', window.bad.length].map(String),
    ]);
  }
  const perWindow = (calls.good / realWindows.length).toFixed(2);
  const perBad = (calls.bad / calls.badTries).toFixed(2);
  printTable(
    `Summaries: ${perWindow} calls a window with good ones, ${perBad} where the first of them lacks something`,
    [
      ...['window', 'messages', 'words said', 'words allowed', 'words of the summary'],
      ...['calls', 'complete', 'bad summaries tried'],
    ],
    rows,
  );
}

/** @param first - What the model says before it says the good one again and again. */
async function summedUp({ sources, good }: RealWindow, first: readonly string[]) {
  const model = scriptedModel('bench:compactor', [...first, good, good, good]);
  const compress = compressWindow(model, '', 'UTC');
  const { mark } = await compress(sources, new AbortController().signal);
  const asked = model.requests[0]?.messages.at(-1)?.content ?? '';
  const limit = /at most (\d+) words/.exec(asked)?.[1] ?? '?';
  return { calls: model.requests.length, isWhole: mark === undefined, limit };
}
