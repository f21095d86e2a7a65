/**
 * Whether a message is meant for the council, by rules that ask no model. Judged before anything is shown,
 * queued or stored: an unwanted council costs money and patience.
 */

import { addressedSage } from '../../council/addressing.ts';
import type { Sage } from '../../domain/turn.ts';
import type { Remark } from '../../platforms/platform.ts';
import type { FollowUpMode } from '../../settings/file-table.ts';
import { bareText, chatterIn } from './chatter.ts';

/** What holds where something was said. */
export interface Hearing {
  readonly mode: FollowUpMode;
  /** Who may be addressed by name. */
  readonly bench: readonly Sage[];
}

/** @returns Whether it is meant; `undefined` where that depends on the {@link Hearing}. */
export function judgedAlone(remark: Remark): boolean | undefined {
  const { text, where, namesCouncil } = remark;
  const chatter = chatterIn(text);
  // A person who greets the council by name, or shows it a link, expects something of it.
  if (namesCouncil) return chatter !== 'closing';
  if (chatter) return false;
  if (where === 'direct message') return true;
  return where === 'thread' ? undefined : false;
}

/** For what was said in a thread of the council without naming it. */
export function judgedIn({ text, isForOthers }: Remark, { mode, bench }: Hearing): boolean {
  if (mode !== 'asked') return mode === 'everything';
  if (isForOthers) return false;
  if (addressedSage(text, bench)) return true;
  return endsAsQuestion(text) && !addressesPeople(text, bench);
}

/** Where a text may end as a question; what comes before is not looked at. */
const longestEnd = 1000;
const mostAfterwords = 3;
const questionMark = /[?？؟⁇⁈⁉‽⸮፧꘏]$/u;
/** In these languages a question needs no mark. */
const questionEnding =
  /(?:[吗嗎呢]|什么|什麼|怎么办|为什么|(?:です|ます|でした|ました|ません|でしょう|だろう|の|ない|[るたう])か[なね]?|か[なね]|[까냐]요?|나요|[은는인한]가요?|(?:ไหม|มั้ย|หรือเปล่า|หรือยัง|เหรอ|อะไร|ยังไง|อย่างไร|เท่าไหร่|ที่ไหน|เมื่อไหร่)(?:ครับ|คะ|ค่ะ|นะ)?)$/u;
/** Also "because", in the middle of a sentence. */
const noQuestionEnding = /[^습입합됩갑옵십봅]니까$/u;
const greek = /\p{Script=Greek}/u;
const closers = /[\s"'”’»›)\]}*_~|`>…!.。！։]+$/u;
const lastAside = /\([^()]*\)$/u;
const sentenceEnd = /[?？؟;\u037e…!.。！։\n]/u;

/** Links, emoji and thanks may follow the question. */
function endsAsQuestion(text: string): boolean {
  let rest = bareText(text.slice(-longestEnd)).trimEnd();
  for (let afterwords = 0; afterwords <= mostAfterwords; afterwords += 1) {
    rest = withoutEnd(withoutEnd(rest, lastAside), closers);
    const start = lastIndexOf(rest, sentenceEnd) + 1;
    if (questionMark.test(rest)) return true;
    // A Greek question mark looks like a semicolon; an Armenian one stands within the word.
    if (/[;\u037e]$/.test(rest) && greek.test(rest)) return true;
    if (rest.slice(start).includes('՞')) return true;
    if (questionEnding.test(rest) && !noQuestionEnding.test(rest)) return true;
    if (start === 0 || chatterIn(rest.slice(start)) === undefined) return false;
    rest = rest.slice(0, start);
  }
  return false;
}

function withoutEnd(text: string, end: RegExp): string {
  return text.replace(end, '');
}

function lastIndexOf(text: string, sign: RegExp): number {
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (sign.test(text.charAt(index))) return index;
  }
  return -1;
}

const greeted = '(?:(?:[Hh](?:ey|i|ello|allo|ola)|[Ss]alut|[Cc]iao|[Oo]i)\\s+)?';
/** `@bob` that the platform made no mention of. */
const atName = /(?:^|\s)@[\p{L}\p{N}]/u;
const group = new RegExp(
  `^${greeted}(?:guys|folks|team|all|everyone|everybody|people|y'all|leute|alle|les gars|chicos|chicas|gente|pessoal|ragazzi|ребята)\\s*[,:!]`,
  'iu',
);
const anyone = /^(?:\S+\s+){0,2}(?:anyone|anybody)\b/i;
/** A word with a capital letter and a comma: a name, unless it is one that sentences begin with. */
const name = new RegExp(`^${greeted}(\\p{Lu}\\p{Ll}[\\p{L}’'-]*)\\s*,`, 'u');
/** Adverbs begin sentences, too. */
const adverb = /(?:ly|ment|mente)$/;

/** Whether a text begins with whom it is for, and that is no sage. */
function addressesPeople(text: string, bench: readonly Sage[]): boolean {
  const beginning = text.trimStart().slice(0, longestEnd);
  if (atName.test(beginning) || group.test(beginning) || anyone.test(beginning)) return true;
  const named = name.exec(beginning)?.[1]?.toLowerCase();
  if (named === undefined || adverb.test(named)) return false;
  if (openers.has(named) || chatterIn(named) !== undefined) return false;
  return !bench.some((sage) => sage.name.toLowerCase().split(/\s+/).includes(named));
}

const openers: ReadonlySet<string> = new Set(
  [
    'so well however but and also then now still instead yet first second third finally again anyway besides',
    'otherwise meanwhile today tomorrow yesterday assuming suppose say please right wait listen look thus hence',
    'therefore nevertheless nonetheless overall hmm hm no yes ok council sages next say imagine given maybe perhaps',
    'also dann und aber nun na tja ach angenommen gesetzt moment trotzdem allerdings übrigens bitte sagen eben',
    'alors donc mais et bref enfin sinon ensuite maintenant supposons admettons imaginons pourtant bon ben',
    'entonces pues pero además ahora supongamos digamos oye perdón luego então mas agora suponha digamos bom',
    'allora quindi ma dunque poi supponiamo invece но и а тогда допустим например кстати конечно значит ну может ладно',
    'peki ama więc ale załóżmy no dus maar stel nou λοιπόν όμως αλλά отже але тоді припустимо',
  ].flatMap((line) => line.split(' ')),
);
