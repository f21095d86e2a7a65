import { answer, ranks, scriptedModels, seating } from '../council/scripted-council.ts';

/**
 * What a bot says that is killed and started again: its sages say the same each time, one of them at
 * length; what the chair says differs from process to process, so that a verdict made twice shows.
 */
export function restartedModels() {
  const long = `${'Ben says no. '.repeat(200)}`;
  const keys = ['ada', 'ben', 'cleo'];
  return scriptedModels({
    moderator: [seating(keys)],
    sages: {
      ada: [answer('Ada says yes.')],
      ben: [answer(long)],
      cleo: [answer('Cleo says later.')],
    },
    reviews: Object.fromEntries(
      keys.map((key) => [key, [ranks('Ada says yes.', 'Cleo says later.', 'Ben says no.')]]),
    ),
    chair: [
      JSON.stringify({
        verdict: `Rewrite it in parts, says process ${process.pid}.`,
        consensus: [],
        disagreements: [],
        minority_report: '',
        confidence: 'medium',
      }),
    ],
  });
}
