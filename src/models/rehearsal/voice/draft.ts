/** Drafts the prompt of a new sage from what a member wrote about it. */

import { plainText, shortened } from './question.ts';
import type { Scene } from './scene.ts';
import { contentWords, quoted } from './words.ts';

const longestDescriptionChars = 600;

/**
 * @param request - The message that asks for the draft, without fences. `Name: …` and
 *   `Description: …` are read where they stand on lines of their own.
 */
export function playDraft(scene: Scene, request: string): { readonly prompt: string } {
  const name = plainText(/^\W{0,4}name\W{0,4}:([^\n]{1,120})/im.exec(request)?.[1] ?? '');
  const written = /^\W{0,4}description\W{0,4}:([^\n]{1,2000})/im.exec(request)?.[1] ?? request;
  const description = shortened(plainText(written.slice(0, 4000)), longestDescriptionChars);
  const words = contentWords(description, 3).map(({ text }) => text);
  const field = words.length > 0 ? quoted(words) : scene.question.matter;
  return {
    prompt: [
      `You are ${name || 'a sage'}. ${description}`,
      `You look first at what the question has to do with ${field}. You say what you have seen go wrong there, and you prefer one concrete case to a rule.`,
      'You ask what the asker would do differently if you were right. You distrust advice that costs the one who gives it nothing.',
      '(Drafted by the rehearsal model from the description alone. Read it and make it yours.)',
    ].join('\n\n'),
  };
}
