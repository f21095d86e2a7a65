import { z } from 'zod';
import { counted, inlineMarkdown, momentMark, oneLine, shortened } from '../src/domain/words.ts';
import { personId } from '../src/settings/channel-kinds.ts';
import {
  CommandError,
  elsewhere,
  hiddenOption,
  type Place,
  type ReplyBlock,
  UnknownIdError,
} from './command.ts';
import {
  type CouncilMemory,
  councilCommand,
  type ForgetTarget,
  type MemoryItem,
  type MemorySource,
  type ToForget,
} from './context.ts';

const actions = ['show', 'search', 'edit', 'pin', 'unpin', 'forget'] as const;

const options = {
  do: z
    .enum(actions)
    .optional()
    .describe('What to do; without it, what is remembered here is shown'),
  what: z
    .string()
    .optional()
    .describe(
      'The id of a memory; words to search; to forget: turn <id>, mine, person @name, thread or channel',
    ),
  text: z.string().optional().describe('To edit: what the summary should say instead'),
  confirm: z.boolean().optional().describe('To forget: do it, instead of telling what would go'),
  thread: hiddenOption(z.string(), 'The thread that an earlier page was of'),
  page: z.int().min(1).max(1000).optional().describe('To show: which page, from 1, newest first'),
};
type Given = z.infer<z.ZodObject<typeof options>>;

const itemsOnPage = 8;
const maxSearchChars = 1000;
/** Longer than any model's summary, in any language. */
const maxTextChars = 4000;

/** `/council memory`: shows, searches, corrects, pins and forgets memories. Every reply is private. */
export const memory = councilCommand({
  name: 'memory',
  description: 'See, search, correct, pin or delete what is remembered here',
  showsTurns: true,
  options,
  async run({ memory: remembered, place }, given) {
    const blocks = await handlers[given.do ?? 'show'](remembered, given, place);
    return { isPrivate: true, blocks };
  },
});

type Blocks = readonly ReplyBlock[];
type Action = (memory: CouncilMemory, given: Given, place: Place) => Promise<Blocks>;

const handlers: Readonly<Record<(typeof actions)[number], Action>> = {
  show: async (remembered, { what, ...given }) =>
    what === undefined ? showAll(remembered, given) : wholeMemory(await remembered.one(idIn(what))),
  async search(remembered, { what }) {
    const words = what?.trim().slice(0, maxSearchChars);
    if (!words) throw new CommandError('Say what to look for, e.g. memory do:search what:harbour.');
    const found = await remembered.search(words, itemsOnPage);
    if (found.length === 0) return say(...offNote(remembered), 'Nothing here matches that.');
    return [
      ...say(...offNote(remembered), 'Best matches first.'),
      { type: 'fields', fields: found.map(memoryField) },
    ];
  },
  async edit(remembered, given) {
    const { id, text } = correctionIn(given);
    const item = await remembered.correct(id, text);
    return [
      ...say(
        'Corrected. The sages will be given this version from the next question on. The summary has a new id.',
      ),
      ...wholeMemory(item),
    ];
  },
  async pin(remembered, { what }) {
    const item = await remembered.pin(idIn(what));
    return [
      ...say('Pinned: the sages are given this with every question here, before anything else.'),
      { type: 'fields', fields: [memoryField(item)] },
    ];
  },
  async unpin(remembered, { what }) {
    await remembered.unpin(idIn(what));
    return say('Unpinned. It is still remembered.');
  },
  async forget(remembered, { what, confirm = false }, place) {
    const target = targetIn(what);
    const notes = isOwn(target) ? elsewhere(place) : [];
    const wanted = await remembered.toForget(target, confirm);
    const { questions, answers, heardIn } = wanted;
    if (questions + answers + heardIn === 0) return say('There is nothing to forget.', ...notes);
    const posts = place.platform === 'web' ? [] : [postsStay];
    if (!confirm) return preview(target, wanted, [...notes, ...posts]);
    await wanted.forget();
    return say([`Forgotten: ${countsOf(wanted)}.`, ...posts].join(' '), ...notes);
  },
};

const postsStay = 'Messages that were already posted stay until they are deleted there.';

const places = {
  thread: 'in this thread',
  channel: 'in this channel',
  workspace: 'in this channel, and in what everybody can read elsewhere',
};

async function showAll(
  remembered: CouncilMemory,
  { page = 1, thread }: Pick<Given, 'page' | 'thread'>,
): Promise<Blocks> {
  const skip = (page - 1) * itemsOnPage;
  const shown = await remembered.newest({ skip, count: itemsOnPage, thread });
  const { items, messages, summaries } = shown;
  const where = places[remembered.reach];
  const pages = Math.ceil((messages + summaries) / itemsOnPage);
  if (pages > 0 && page > pages) return showAll(remembered, { page: pages, thread });
  if (pages === 0) return say(...offNote(remembered), `Nothing is remembered ${where} yet.`);
  const count = `${counted(messages, 'message')} and ${counted(summaries, 'summary', 'summaries')}`;
  const about = `Remembered ${where}: ${count}, newest first. Page ${page} of ${pages}.`;
  const ofThread = shown.thread === undefined ? '' : ` --thread ${shown.thread}`;
  const turnTo = (label: string, number: number) => ({
    label,
    command: `memory show --page ${number}${ofThread}`,
  });
  return [
    ...say(...offNote(remembered), about),
    { type: 'fields', fields: items.map(memoryField) },
    {
      type: 'choices',
      choices: [
        ...(page < pages ? [turnTo('Older', page + 1)] : []),
        ...(page > 1 ? [turnTo('Newer', page - 1)] : []),
      ],
    },
  ];
}

function offNote({ isOn }: CouncilMemory): readonly string[] {
  const note =
    'Memory is off here: the sages aren’t told what was said before, and nothing is summed up. It is still kept.';
  return isOn ? [] : [note];
}

/** Reads the id and the text from `what` and `text`, or both from `what`: `abc The text`. */
function correctionIn({ what = '', text }: Given): { readonly id: string; readonly text: string } {
  const [, first = '', after = ''] = /^\s*(\S+)\s*(.*)$/s.exec(what) ?? [];
  const given = (text ?? unquoted(after)).trim();
  if (first === '' || given === '' || (text !== undefined && after !== '')) {
    throw new CommandError(
      'Give the id of a summary and its new text, e.g. memory do:edit what:3f9a2b7c1d text:"The harbour is dredged in May."',
    );
  }
  if (given.length > maxTextChars) {
    throw new CommandError(
      `A summary may have ${maxTextChars} characters, and this has ${given.length}. Shorten it.`,
    );
  }
  return { id: first, text: given };
}

function unquoted(text: string): string {
  return /^(?:"(.*)"|“(.*)”)\s*$/s.exec(text)?.slice(1).join('') ?? text;
}

function idIn(what: string | undefined): string {
  const id = what?.trim() ?? '';
  if (id === '') {
    throw new UnknownIdError('memory', 'Give the id of a memory; memory alone lists them.');
  }
  return id;
}

/** People who are in no chat, as `person` in the shell names them: by key, at the terminal, or of imported files. */
const shellPersonId = /^(?:key:\w+|local|imported)$/;

function targetIn(what = ''): ForgetTarget {
  if (/^(?:mine|me|myself|my (?:data|questions))$/i.test(what.trim())) return { kind: 'person' };
  const [kind = '', thread, ...more] = what.trim().replace(/^<@/, 'person <@').split(/\s+/);
  const word = kind.toLowerCase();
  if (more.length === 0 && word === 'thread') {
    return { kind: word, ...(thread !== undefined && { thread }) };
  }
  if (more.length === 0 && word === 'turn') {
    if (thread === undefined) throw new UnknownIdError('turn', 'Give the id of the turn, too.');
    return { kind: word, id: thread };
  }
  const id = shellPersonId.exec(thread ?? '')?.[0] ?? personId.exec(thread ?? '')?.[1];
  if (more.length === 0 && word === 'person' && id !== undefined) return { kind: word, id };
  if (['', 'all', 'everything'].includes(word) || thread !== undefined) {
    throw new UnknownIdError(
      'memory',
      'Say what to forget: mine (everything you asked), the id of a memory, turn with its id, person with an @ and their name (with their id once they have left), thread, or channel.',
    );
  }
  return word === 'channel' ? { kind: word } : { kind: 'one', id: kind };
}

function countsOf({ questions, answers, summaries, heardIn }: ToForget): string {
  const counts = [
    counted(questions, 'question'),
    counted(answers, 'answer'),
    `${counted(summaries, 'summary', 'summaries')} made of them`,
    ...(heardIn === 0 ? [] : [`own words in what was read for ${counted(heardIn, 'question')}`]),
  ];
  return counts.join(', ');
}

function isOwn(target: ForgetTarget): boolean {
  return target.kind === 'person' && target.id === undefined;
}

/** The button names the counted target, so that it works anywhere. */
function preview(target: ForgetTarget, wanted: ToForget, notes: readonly string[]): Blocks {
  const { threads, isSummary, thread, link } = wanted;
  const where = link === undefined ? `in ${counted(threads, 'thread')}` : `in this thread: ${link}`;
  const id = 'id' in target ? target.id : '';
  const what = {
    channel: 'channel',
    thread: `thread ${thread}`,
    turn: `turn ${id}`,
    person: isOwn(target) ? 'mine' : `person ${id}`,
    one: id,
  }[target.kind];
  return [
    ...say(
      `This would be deleted: ${countsOf(wanted)}, ${where}.`,
      ...(isSummary
        ? ['Deleting a summary also deletes the questions it was made from, and their answers.']
        : []),
      ...notes,
      'This can’t be undone. Nothing has been deleted yet.',
    ),
    {
      type: 'choices',
      choices: [
        { label: 'Forget it for good', command: `memory forget ${what} --confirm` },
        ...(isOwn(target) ? [{ label: 'Get a copy first', command: 'export --scope mine' }] : []),
      ],
    },
  ];
}

function say(...sentences: readonly string[]): Blocks {
  return [{ type: 'text', text: sentences.join('\n\n') }];
}

/** Limits in a list, in characters. */
const maxChars = { text: 280, name: 60 } as const;
const maxSourcesInList = 4;

/** A memory in a list. Escapes Markdown, so that no text can pose as another memory. */
function memoryField(item: MemoryItem) {
  const { by, sources } = item;
  const text = `“${inlineMarkdown(shortened(oneLine(item.text), maxChars.text))}”`;
  const from =
    by === undefined
      ? sources.slice(0, maxSourcesInList).map(sourceLine)
      : sources.flatMap(({ link }) => link ?? []);
  const beyond = sources.length - maxSourcesInList;
  const more = beyond > 0 ? [`- and ${beyond} more`] : [];
  return { name: item.id, value: [aboutLine(item), text, ...from, ...more].join('\n') };
}

/** A memory in full, with all its sources. */
function wholeMemory(item: MemoryItem): readonly ReplyBlock[] {
  const { id, by, sources, text } = item;
  const title = by === undefined ? 'Made of' : 'Said here';
  const from = { name: title, value: sources.map(sourceLine).join('\n') };
  return [
    { type: 'fields', fields: [{ name: id, value: aboutLine(item) }] },
    { type: 'text', text: quoted(text) },
    ...(sources.length === 0 ? [] : [{ type: 'fields' as const, fields: [from] }]),
  ];
}

function aboutLine({ by, at, marks, sourceCount }: MemoryItem): string {
  const who = by === undefined ? `Summary of ${counted(sourceCount, 'message')}` : shownName(by);
  return [who, momentMark(at), ...marks].join(' · ');
}

function sourceLine({ by, at, link }: MemorySource): string {
  const said = `${by.map(shownName).join(', ')}, ${momentMark(at)}`;
  return link === undefined ? `- ${said}` : `- ${said}: ${link}`;
}

/** Quotes and escapes each line, so that the text is not rendered as Markdown. */
function quoted(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `> ${inlineMarkdown(line)}`.trimEnd())
    .join('\n');
}

function shownName(name: string): string {
  return inlineMarkdown(shortened(oneLine(name), maxChars.name));
}
