/** Reads one entry of a ranking: a line of a list, or a piece between two separators. */

import {
  type Figure,
  isSign,
  type Mention,
  readFigure,
  readMention,
  readTie,
  skipBracket,
  skipSigns,
} from './mention.ts';
import type { Token } from './tokens.ts';
import { labelWords, tieWords } from './vocabulary.ts';

/** A ranking's entry. */
export interface Entry {
  /** The named answers, in order; empty if it names one that was never shown. */
  readonly labels: readonly string[];
  /** What joins several answers: a sign of equality, a comma, or only `and`. */
  readonly joint: 'tie' | 'comma' | 'and' | undefined;
  /** Marked as tied: `(tie)`, `are tied`, `Tie: A, B`. */
  readonly isTied: boolean;
  /** The other answer in `tied with B`. */
  readonly tiedWith: string | undefined;
  readonly figure: Figure | undefined;
  /** What follows the names: at most brackets, a remark after punctuation, or a sentence. */
  readonly tail: 'none' | 'remark' | 'sentence';
}

/** An entry for an answer that was never shown. */
export const unknownEntry: Entry = {
  labels: [],
  joint: undefined,
  isTied: false,
  tiedWith: undefined,
  figure: undefined,
  tail: 'none',
};

/** `unclear`: it names several answers, none of them as its subject. */
export type EntryReading = Entry | 'unclear' | undefined;

/**
 * @param tokens - The entry without its number or bullet.
 * @param search - Where to find the answer's name: at the start (`head`), also in brackets (`The Scientist
 *   (Response C)`), or anywhere (`The best is Response C`).
 * @returns `undefined` if no answer is named.
 */
export function readEntry(
  tokens: readonly Token[],
  search: 'head' | 'brackets' | 'anywhere',
): EntryReading {
  const lead = skipTieLead(tokens);
  const head = readMention(tokens, lead.next) ?? readForeignWorded(tokens, lead.next);
  if (head === undefined) return search === 'head' ? undefined : findSubject(tokens, search);
  if (head.label === undefined) return unknownEntry;
  return finish(tokens, head.label, head.next, lead.isTied);
}

function finish(
  tokens: readonly Token[],
  first: string,
  afterFirst: number,
  hasTieLead: boolean,
): Entry {
  const labels = [first];
  let joint: Entry['joint'];
  let next = afterFirst;
  for (;;) {
    const joined = readJoined(tokens, next);
    if (joined === undefined) break;
    if (joined.label !== undefined) labels.push(joined.label);
    if (joint !== 'tie') joint = joint === 'comma' ? 'comma' : joined.joint;
    next = joined.next;
  }
  const tie = readTie(tokens, next);
  const figure = readFigure(tokens, next);
  return {
    labels,
    joint: labels.length > 1 ? joint : undefined,
    isTied: hasTieLead || tie.isTied,
    tiedWith: tie.tiedWith,
    figure,
    tail: tie.isTied && tie.tiedWith === undefined ? 'none' : tailAt(tokens, next),
  };
}

/** Skips `Tie:`, `Tied: both` or `Joint first –` before the names. */
function skipTieLead(tokens: readonly Token[]): {
  readonly next: number;
  readonly isTied: boolean;
} {
  let next = skipSigns(tokens, 0, 'colon', 'dash', 'stop', 'comma', 'cell', 'above', 'tie');
  let isTied = false;
  for (;;) {
    const token = tokens[next];
    if (token?.kind !== 'word') break;
    if (tieWords.has(token.text)) isTied = true;
    else if (!(isTied && ['between', 'the', 'both', 'for', 'of'].includes(token.text))) break;
    next = skipSigns(tokens, next + 1, 'colon', 'dash');
  }
  return { next, isTied };
}

/** Reads a name with an unknown word for `Response`, as in `Antwoorden C` or `Plan C`, unless a word follows. */
function readForeignWorded(tokens: readonly Token[], at: number): Mention | undefined {
  const start = skipSigns(tokens, at, 'open', 'quote');
  const named = skipSigns(tokens, start + 1, 'open', 'quote', 'hash', 'hyphen');
  const word = tokens[start];
  const name = tokens[named];
  if (word?.kind !== 'word' || name?.kind !== 'label' || !name.isExact) return undefined;
  const next = skipSigns(tokens, named + 1, 'close', 'quote');
  const isSubject = tokens[next]?.kind !== 'word' && !labelWords.has(word.text);
  return isSubject ? { label: name.label, isWorded: true, next } : undefined;
}

/** Reads the next answer of the same entry: `, B`, `and Response B`, `= B`. */
function readJoined(
  tokens: readonly Token[],
  at: number,
):
  | {
      readonly label: string | undefined;
      readonly joint: 'tie' | 'comma' | 'and';
      readonly next: number;
    }
  | undefined {
  const afterName = skipRemarkBracket(tokens, at);
  const first = tokens[afterName];
  const isComma = isSign(first, 'comma', 'slash');
  const isTie = isSign(first, 'tie');
  let next = isComma || isTie ? afterName + 1 : afterName;
  const word = tokens[next];
  const isAnd = word?.kind === 'word' && ['and', 'und', 'et', 'y', 'e'].includes(word.text);
  if (isAnd) next += 1;
  if (!isComma && !isTie && !isAnd) return undefined;
  const mention = readMention(tokens, next);
  if (mention === undefined) return undefined;
  if (isComma && !endsName(tokens, mention.next)) return undefined;
  const joint = isTie ? 'tie' : isComma ? 'comma' : 'and';
  return { label: mention.label, joint, next: mention.next };
}

/** Skips a persona's name in brackets, but not a bracket such as `(tie)`. */
function skipRemarkBracket(tokens: readonly Token[], at: number): number {
  if (!isSign(tokens[at], 'open') || readTie(tokens, at).isTied) return at;
  return skipBracket(tokens, at);
}

/** Whether the name isn't the start of a remark, as in `, Response B is weaker`. */
function endsName(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return (
    token?.kind !== 'word' ||
    ['and', 'are', 'both', 'und', 'et'].includes(token.text) ||
    tieWords.has(token.text)
  );
}

function tailAt(tokens: readonly Token[], at: number): Entry['tail'] {
  let next = at;
  while (isSign(tokens[next], 'open')) next = skipBracket(tokens, next);
  next = skipSigns(tokens, next, 'stop', 'close', 'quote', 'comma', 'semicolon', 'cell');
  const token = tokens[next];
  if (token === undefined) return 'none';
  return token.kind === 'sign' || next > at ? 'remark' : 'sentence';
}

/** Finds the only answer that an entry names, anywhere but at its start. */
function findSubject(tokens: readonly Token[], search: 'brackets' | 'anywhere'): EntryReading {
  const found = new Map<string, Mention>();
  for (let at = 0; at < tokens.length; at += 1) {
    const isBracketed = isSign(tokens[at], 'open');
    const mention = readMention(tokens, at);
    if (mention === undefined || mention.label === undefined) continue;
    const fillsBracket = isBracketed && isSign(tokens[mention.next - 1], 'close');
    const isLast = mention.next >= tokens.length;
    if (search === 'brackets' ? fillsBracket : fillsBracket || mention.isWorded || isLast) {
      if (!found.has(mention.label)) found.set(mention.label, mention);
    }
  }
  const [only, ...others] = found;
  if (only === undefined) return undefined;
  if (others.length > 0) return 'unclear';
  return finish(tokens, only[0], only[1].next, false);
}
