/** The model of the benches, in a process of its own so that its CPU is not counted: fixed replies, each 200 ms away. */

import type { RehearsalCall } from '../test/fakes/rehearsal/options.ts';
import { startRehearsalServer } from '../test/fakes/rehearsal/server.ts';
import { benchSages } from './bench-council.ts';

/** Of the first byte of every reply. */
const latencyMs = 200;

const paragraph =
  'What decides this is how costly it would be to be wrong, and how soon one would notice. ' +
  'A small step that can be taken back teaches more than a plan that can not. ';
const answer = JSON.stringify({ answer: paragraph.repeat(6), summary: paragraph.slice(0, 160) });
const replies: Readonly<Partial<Record<RehearsalCall['part'], string>>> = {
  moderator: JSON.stringify({
    focus: benchSages.map(({ key }) => ({ sage: key, query: `What does ${key} see in it?` })),
    predefined_chosen_sages: benchSages.map(({ key }) => key),
    new_sages_to_create: [],
  }),
  sage: answer,
  reviewer: `${paragraph.repeat(4)}\n\nFINAL RANKING:\n1. Response B\n2. Response A\n3. Response D\n4. Response C`,
  own_answer: paragraph.repeat(6),
  chair: JSON.stringify({
    verdict: paragraph.repeat(4),
    consensus: [paragraph],
    disagreements: [paragraph],
    minority_report: '',
    confidence: 'medium',
  }),
};

const server = await startRehearsalServer({
  sages: benchSages,
  latencyMs,
  say: ({ part }) => replies[part] ?? '{}',
  journalEntries: 1,
});
process.send?.(server.baseUrl);
process.on('disconnect', () => {
  void server.close();
});
