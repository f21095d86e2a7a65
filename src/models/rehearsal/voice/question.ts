/**
 * What the rehearsal understands of a question: its kind, its key words, and a way to name it in the
 * middle of a sentence. It knows English; a question in another language is quoted as it stands.
 */

import { contentWords, type Word } from './words.ts';

export type QuestionKind = 'should' | 'how' | 'why' | 'what' | 'choice' | 'statement';

export interface Question {
  readonly kind: QuestionKind;
  /** Stands where a noun can: `the question of how to frame your path`, `the question “Why is it late?”`. */
  readonly matter: string;
  /** The words that carry meaning, at most 12, in the order of the question. */
  readonly words: readonly Word[];
  /** Those words with their neighbours, up to three in a row, e.g. `career path`. */
  readonly topics: readonly string[];
  /** The two sides of an “A or B”. */
  readonly sides: readonly [string, string] | undefined;
}

const longestQuestionChars = 4000;
const longestQuoteChars = 110;
const longestSideChars = 60;

/** Reads a question; any text at all. Linear. */
export function readQuestion(text: string): Question {
  const plain = plainText(text.slice(0, longestQuestionChars));
  const main = mainSentence(plain);
  const act = readAct(main);
  const sides = readSides(act?.verb ?? main);
  const words = contentWords(plain, 12);
  return {
    kind: sides ? 'choice' : (act?.kind ?? kindOf(main)),
    matter: act ? `the question of ${act.lead} ${act.verb}` : quotedMatter(main),
    words,
    topics: readTopics(main, words),
    sides,
  };
}

/** One line without marks that could be taken for Markdown, tags, mentions or a quotation's end. */
export function plainText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>*_`#|~[\]{}\\@„«»]/gu, ' ')
    .replaceAll('“', '‘')
    .replaceAll(/["”]/g, '’')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** At most `limit` characters, cut between words. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit);
  const space = cut.lastIndexOf(' ');
  return `${(space > limit / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–-]$/, '')}…`;
}

function mainSentence(plain: string): string {
  const all = plain.split(/(?<=[.!?])\s/);
  const chosen = all.find((sentence) => sentence.endsWith('?')) ?? all[0] ?? '';
  return chosen.replace(/^(?:(?:and|but|so|ok|okay|well|hi|hello|hey|please|now),? )+/i, '');
}

function kindOf(sentence: string): QuestionKind {
  const first = sentence.split(' ', 1)[0]?.toLowerCase() ?? '';
  if (first === 'how' || first === 'why') return first;
  if (['what', 'which', 'who', 'where', 'when'].includes(first)) return 'what';
  return /^(?:should|shall|must|can|could|may|is|are|do|does|will|would)$/.test(first) &&
    sentence.endsWith('?')
    ? 'should'
    : 'statement';
}

interface Act {
  readonly kind: QuestionKind;
  readonly lead: string;
  readonly verb: string;
}

/** `How should I frame my path?` is about how to *frame your path*. */
function readAct(sentence: string): Act | undefined {
  const asked = sentence.replace(/[?!.\s]+$/, '');
  const open =
    /^(how|what|when|where) (?:should|can|could|do|might|must|shall|would) (?:i|we|one) (.+)$/i.exec(
      asked,
    ) ?? /^(how|what|when|where) to (.+)$/i.exec(asked);
  const closed = /^(?:should|shall|must) (?:i|we|one) (.+)$/i.exec(asked);
  const verb = turnedToAsker(open?.[2] ?? closed?.[1] ?? '');
  if (verb === undefined || verb === '' || verb.length > longestQuoteChars) return undefined;
  if (!open) return { kind: 'should', lead: 'whether to', verb };
  const word = (open[1] ?? 'how').toLowerCase();
  return { kind: word === 'how' ? 'how' : 'what', lead: `${word} to`, verb };
}

const turned: ReadonlyMap<string, string> = new Map([
  ['i', 'you'],
  ['we', 'you'],
  ['me', 'you'],
  ['us', 'you'],
  ['my', 'your'],
  ['our', 'your'],
  ['mine', 'yours'],
  ['ours', 'yours'],
  ['myself', 'yourself'],
  ['ourselves', 'yourselves'],
  ["i'm", "you're"],
  ["we're", "you're"],
  ["i've", "you've"],
  ["we've", "you've"],
  ["i'll", "you'll"],
  ["we'll", "you'll"],
  ["i'd", "you'd"],
  ["we'd", "you'd"],
  ['am', 'are'],
]);

/** The asker's own words as said back to the asker; `undefined` where that can't be done word by word. */
function turnedToAsker(text: string): string | undefined {
  if (/\b(?:you|your|yours|was|i is)\b/i.test(text)) return undefined;
  return text
    .split(' ')
    .map((word) => {
      const core = word.replace(/[,;:.!?)]+$/, '');
      const replacement = turned.get(core.replace('’', "'").toLowerCase());
      return replacement === undefined ? word : replacement + word.slice(core.length);
    })
    .join(' ');
}

function readSides(text: string): readonly [string, string] | undefined {
  const parts = text.replace(/[?!.\s]+$/, '').split(/,? or /i);
  const [first = '', second = ''] = parts;
  const isOpen = /\b(?:not|else|so|more|less|two|three|whatever|anything|something)\b/i.test(
    second.slice(0, 12),
  );
  if (parts.length !== 2 || isOpen || first.length < 2 || second.length < 2) return undefined;
  if (first.length > longestSideChars || second.length > longestSideChars) return undefined;
  return [first, second];
}

function quotedMatter(sentence: string): string {
  const quote = shortened(sentence.replace(/[.!\s]+$/, ''), longestQuoteChars);
  if (quote === '') return 'a question without words';
  return quote.endsWith('?') ? `the question “${quote}”` : `what you wrote, “${quote}”`;
}

/** Runs of words that carry meaning, as the sentence writes them. */
function readTopics(sentence: string, words: readonly Word[]): string[] {
  const stems = new Set(words.map(({ stem }) => stem));
  const topics: string[] = [];
  let run: string[] = [];
  for (const piece of [...sentence.split(' '), '']) {
    const [word] = contentWords(piece);
    const isTopical = word !== undefined && stems.has(word.stem);
    if (isTopical) run.push(piece.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
    if (run.length > 0 && (!isTopical || run.length === 3 || /[,;:.?!]$/.test(piece))) {
      topics.push(run.join(' ').slice(0, longestSideChars));
      run = [];
    }
  }
  return [...new Set(topics)];
}
