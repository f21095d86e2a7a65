/** Plays a sage: what its own file says, brought to bear on the question that was asked. */

import type { Idea, Persona } from './persona.ts';
import {
  applications,
  doubtTails,
  fill,
  focusPhrases,
  followUpPhrases,
  moves,
  openings,
  pick,
  questionLeads,
  sageNotice,
  stableHash,
} from './phrases.ts';
import { plainText, shortened } from './question.ts';
import type { Scene } from './scene.ts';
import { contentWords } from './words.ts';

export interface SageAnswer {
  readonly answer: string;
  readonly summary: string;
}

/** The same answer for the same sage, question, focus, history and model; another one otherwise. */
export function playSage(scene: Scene, persona: Persona): SageAnswer {
  const seed = `${scene.seed}\n${scene.earlier.length}`;
  const turn = stableHash(seed) % 1000;
  const phraseOf = (phrases: readonly [string, ...string[]], step = 0): string =>
    pick(phrases, turn + persona.ordinal + step);
  const values = {
    matter: scene.question.matter,
    words: topicFor(scene, persona),
    first: scene.question.sides?.[0] ?? '',
    second: scene.question.sides?.[1] ?? '',
    focus: shortened(plainText(scene.focus?.slice(0, 2000) ?? ''), 240),
    earlier: scene.earlier.at(-1) ?? '',
  };
  const say = (phrase: string): string => fill(phrase, values);
  const choose = (ideas: readonly Idea[]): Idea[] =>
    ranked(ideas, scene, `${seed}\n${persona.key}`);

  const [view, secondView] = choose(persona.views);
  const [question] = choose(persona.questions);
  const [doubt] = choose(persona.doubts);
  const kindMoves = moves[scene.question.kind];
  // Half of the sages stay with their own files; all of them giving advice would sound like one voice.
  const ownAdvice = (turn + persona.ordinal) % 2 === 0 ? secondView?.text : undefined;
  const advice = ownAdvice ?? say(phraseOf(kindMoves));
  const stance =
    view?.text ?? `All that my file says of me is “${persona.description}” I keep to that.`;

  const paragraphs = [
    `${say(phraseOf(openings))} ${stance} ${say(phraseOf(applications))}`,
    question
      ? `${question.isSpoken ? question.text : fill(phraseOf(questionLeads), { idea: question.text })} ${advice}`
      : advice,
    doubt
      ? `${doubt.text} ${say(phraseOf(doubtTails))}`
      : `Then two more things, in this order:\n\n1. ${say(phraseOf(kindMoves, 1))}\n2. ${say(phraseOf(kindMoves, 2))}`,
    [
      scene.focus ? say(phraseOf(focusPhrases)) : '',
      scene.earlier.length > 0 ? say(phraseOf(followUpPhrases)) : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
    sageNotice,
  ];
  return {
    answer: paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'),
    summary: `In rehearsal: ${[(view ?? doubt)?.text, advice].filter((text) => text).join(' ')}`,
  };
}

/** A topic of the question, one that the sage's file speaks of if there is one. */
function topicFor(scene: Scene, persona: Persona): string {
  const topics = scene.question.topics
    .filter((topic) => topic.length >= 3)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, 2);
  const shared = topics.filter((topic) =>
    contentWords(topic).some(({ stem }) => persona.stems.has(stem)),
  );
  const candidates = shared.length > 0 ? shared : topics;
  const chosen = candidates[persona.ordinal % candidates.length];
  return chosen === undefined ? 'what you wrote' : `“${chosen}”`;
}

/** The ideas that speak of the question first; among equals spoken ones, and then each question has its own order. */
function ranked(ideas: readonly Idea[], scene: Scene, seed: string): Idea[] {
  return ideas
    .map((idea) => ({
      idea,
      fit:
        scene.question.words.filter(({ stem }) => idea.stems.has(stem)).length +
        (idea.isSpoken ? 0.5 : 0),
      order: stableHash(`${seed}\n${idea.text}`),
    }))
    .toSorted((one, other) => other.fit - one.fit || one.order - other.order)
    .map(({ idea }) => idea);
}
