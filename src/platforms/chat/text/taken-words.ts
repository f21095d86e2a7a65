/** In place of what showed a question whose message was deleted, or that was forgotten on its way. */
export const takenBackWords = 'This question was taken back.';

/** What somebody is told whose question was taken. */
export function takenWords(turnsBefore: number): string {
  if (turnsBefore === 0) return 'The council is being seated.';
  return `Taken. It comes after ${turnsBefore} that ${turnsBefore === 1 ? 'was' : 'were'} asked before.`;
}
