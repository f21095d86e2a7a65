/**
 * All that the rehearsal says in its own words. `{matter}` stands where a noun can, `{words}` is one or
 * two key words of the question in quotation marks, `{first}` and `{second}` are the sides of a choice.
 */

import type { QuestionKind } from './question.ts';

type Phrases = Several<string>;

/** Ends every answer of a sage. */
export const sageNotice =
  "*Rehearsal: spoken from this sage's file, no language model is behind it.*";

/** Ends every verdict. */
export const chairNotice =
  '*Rehearsal: put together from the sages’ own sentences. No language model weighed them; one would write a real synthesis here.*';

/** Said where no part of the council is asked for. */
export const honestSentence =
  'This is the rehearsal model: it plays the parts of a council from the sages’ files, has no language model behind it, and can’t answer anything else.';

export const openings: Phrases = [
  'You bring me {matter}.',
  'Here is how I come to {matter}.',
  'Let me turn {matter} over once before I say anything.',
  'There is more than one way into {matter}; this is mine.',
  'Before I say anything about {matter}, you should know where I stand.',
  'Let us look at {matter} from where I sit.',
  'I have one angle on {matter}, and I will keep to it.',
  'So you want to talk about {matter}.',
];

/** Introduce a sentence of a sage's file that can't be put in the first person. */
export const quotingLeads: Phrases = [
  'My file has it so:',
  'In the words of my file:',
  'One line of my file bears on this:',
];

/** Follow a sage's view, and lead back to the question. */
export const applications: Phrases = [
  'Hold that against {words} and see what is left of the question.',
  'In what you ask, that lands on {words}.',
  'That is the light in which I read {words}.',
  'Start there when you think of {words}.',
  'With {words} in mind, that is no small matter.',
  'It changes what {words} can mean for you.',
  'Try it on {words} first; the rest follows more easily.',
  'Where it does not fit {words}, you have found the part worth talking about.',
];

/** Introduce a question that the file asks in so many words. */
export const questionLeads: Phrases = [
  'I would not go on before you have an answer to this. {idea}',
  'Let me ask you one thing. {idea}',
  'I bring a question to any table. {idea}',
];

export const doubtTails: Phrases = [
  'Look for traces of it around {words}.',
  'Look at {words} once more with that in mind.',
  'Mind it wherever you say {words}.',
  'I would check {words} for it first.',
  'With {words}, that is what could go wrong.',
  'If something about {words} makes you uneasy, it may be this.',
];

/** Something to do, by the kind of the question. */
export const moves = {
  should: [
    'Before a yes or a no, write down what each of them would cost you a year from now.',
    'A yes that can be taken back deserves an afternoon; one that can’t deserves a month. Find out which of the two this is.',
    'Say what would have to be true for a plain no, and go and see whether it is.',
    'If it had to be settled tonight, which fact would you miss most? Get that one fact first.',
    'Ask somebody who said yes to this two years ago, and somebody who said no.',
    'Try a small version of yes for two weeks, with a date on which you decide for real.',
  ],
  how: [
    'Take the smallest step that would teach you something, and take it this week.',
    'Work backwards: say what finished looks like, then name the step just before it.',
    'Do the part that is hardest to plan first, however roughly; the first bad version shows more than the plan does.',
    'Name what you will stop doing to make room. A plan that only adds is a wish.',
    'Tell one person what you will have done by when, and ask that person to come back to you about it.',
    'Write down today what you expect to happen, so that you can be surprised in a month.',
  ],
  why: [
    'Write down the two causes that you would least like to find, and look at those first.',
    'Look for a case in which it did not happen: the difference teaches more than the likeness.',
    'Go back to the last time it was otherwise, and list what has changed since.',
    'Ask who would be worse off if it stopped; sometimes that is the whole reason.',
    'Tell the cause that you believe in from the one that you could show to somebody else.',
    'Name one observation that would prove your favourite reason wrong, then make it.',
  ],
  what: [
    'Say it once in words that a friend outside the matter would understand; the gaps will show.',
    'Find one example that surely belongs here and one that surely does not, and compare them.',
    'Ask what you would do differently on Monday if you knew; if nothing, it may not be the question.',
    'List what you know at first hand and what you have only heard, in two columns.',
    'Write the answer that you expect to hear, and ask what makes you expect it.',
    'Settle what the word in the middle of it means to you before you look for the rest.',
  ],
  choice: [
    'Of “{first}” and “{second}”, find out which one could be undone.',
    'Suppose that “{first}” is no longer possible. Relief and regret would both tell you something.',
    'Compare “{first}” and “{second}” by their worst year, not by their best day.',
    'Look for a third way that keeps the better half of “{first}” and leaves the worse half of “{second}”.',
    'Say what each side, “{first}” and “{second}”, would ask of you on an ordinary Tuesday.',
    'Name the one fact that would tip you toward “{second}”, and go and look for it.',
  ],
  statement: [
    'Turn it into a question that could be answered with a no; it will be easier to work on.',
    'Say what you would like to be different in a month, in one sentence.',
    'Ask what has kept it as it is until now; that is what any change has to move.',
    'Say who else is touched by it, and what that person would tell me.',
    'Part what has happened from what you made of it, in two lines.',
    'Name the one thing in it that is yours to change, and begin there.',
  ],
} satisfies Record<QuestionKind, Phrases>;

/** Said of the moderator's focus. */
export const focusPhrases: Phrases = [
  'The moderator wants one thing from me above all: “{focus}” What I said is my part of that; your own question comes first.',
  'My focus from the moderator reads “{focus}” I take it as an angle on what you asked, not as another question.',
  'To the moderator’s focus, “{focus}”, I would add only this: your own question stays the measure.',
  'The moderator asks me to press this: “{focus}” Read what I said above as the beginning of an answer to it.',
];

export const followUpPhrases: Phrases = [
  'Earlier in this thread you asked “{earlier}”; this goes on from there.',
  'I have not forgotten “{earlier}”, which you asked before; the two belong together.',
  'Set this beside your earlier question, “{earlier}”, and see whether the answers still agree.',
];

/** Sub-questions that the moderator gives to a sage. `{angle}` is a piece of the sage's description. */
export const focusQueries: Phrases = [
  'From where you stand, what does “{angle}” have to do with {matter}?',
  'Press the point of “{angle}”: what would it change about {matter}?',
  'Which part of {matter} is really about “{angle}”, and what follows from that?',
  'What would the others overlook about {matter} that “{angle}” brings into view?',
  'If “{angle}” were all that counted, what would you say about {matter}, and where would that go wrong?',
  'Where in {matter} does “{angle}” help, and where does it mislead?',
];

/**
 * @param phrase - Places are names in braces, e.g. `{matter}`; one without a value stays as it is.
 * @param values - Put in as they are: braces in a value are never taken for places.
 */
export function fill(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? place) : place,
  );
}

/** A list with at least one entry. */
type Several<Entry> = readonly [Entry, ...Entry[]];

/** FNV-1a over UTF-16 code units, 32 bits, with a final mix so that neighbouring texts part. */
export function stableHash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** The entry that a number falls on; any number from 0. */
export function pick<Entry>(entries: Several<Entry>, number: number): Entry {
  return entries[number % entries.length] ?? entries[0];
}
