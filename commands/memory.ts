import { z } from 'zod';
import { inlineMarkdown } from '../src/memory/inline-markdown.ts';
import { type Command, CommandError, type Reply, type ReplyBlock } from './command.ts';
import type { CommandContext } from './context.ts';
import type { CouncilMemory, MemoryItem, MemorySource } from './council-memory.ts';

const actions = ['show', 'search', 'edit', 'pin', 'unpin'] as const;

const options = z.object({
  do: z
    .enum(actions)
    .optional()
    .describe('What to do; without it, what is remembered here is shown'),
  what: z.string().optional().describe('The id of a memory, or the words to search for'),
  text: z.string().optional().describe('To edit: what the summary should say instead'),
  page: z.int().min(1).max(1000).optional().describe('To show: which page, from 1, newest first'),
});
type Given = z.infer<typeof options>;

const itemsOnPage = 8;
const shownChars = 280;
const mostSourcesInList = 4;
const mostSearchChars = 1000;
const mostTextChars = 2000;

/** `/council memory`: what the council remembers here, and its correction. Nobody else sees a reply. */
export const memory: Command<CommandContext> = {
  name: 'memory',
  description: 'See what is remembered here and find in it; correct and pin it',
  options,
  allowed: 'everyone',
  async run({ memory: remembered }, given) {
    const asked = options.parse(given);
    const blocks = await doing[asked.do ?? 'show'](remembered, asked);
    return { isPrivate: true, blocks } satisfies Reply;
  },
};

type Blocks = readonly ReplyBlock[];
type Doing = (memory: CouncilMemory, given: Given) => Promise<Blocks>;

const doing: Readonly<Record<(typeof actions)[number], Doing>> = {
  show: (remembered, { what, page = 1 }) =>
    what === undefined ? showAll(remembered, page) : showOne(remembered, what),
  async search(remembered, { what }) {
    const words = what?.trim().slice(0, mostSearchChars);
    if (!words) throw new CommandError('Say what to look for, e.g. memory search the harbour.');
    const found = await remembered.search(words, itemsOnPage);
    if (found.length === 0) return say(...offNotes(remembered), 'Nothing here fits these words.');
    return [
      ...say(...offNotes(remembered), 'What fits best comes first.'),
      { type: 'fields', fields: found.map(fieldOf) },
    ];
  },
  async edit(remembered, given) {
    const { id, text } = correctionIn(given);
    const item = await remembered.correct(id, text);
    return [
      ...say(
        'Corrected. From the next question on this is what prompts are given, and what is found; the summary has a new id.',
      ),
      ...whole(item),
    ];
  },
  async pin(remembered, { what }) {
    const item = await remembered.pin(idIn(what));
    return [
      ...say('Pinned: it goes into the prompts of every question here, before anything else.'),
      { type: 'fields', fields: [fieldOf(item)] },
    ];
  },
  async unpin(remembered, { what }) {
    await remembered.unpin(idIn(what));
    return say('It is pinned no more. It is still remembered.');
  },
};

const places = {
  thread: 'in this thread',
  channel: 'in this channel',
  workspace: 'in this channel, and in what everybody can read elsewhere',
};

async function showAll(remembered: CouncilMemory, page: number): Promise<Blocks> {
  const skip = (page - 1) * itemsOnPage;
  const { items, messages, summaries } = await remembered.newest({ skip, count: itemsOnPage });
  const total = messages + summaries;
  const where = places[remembered.reach];
  if (total === 0) return say(...offNotes(remembered), `Nothing is remembered ${where} yet.`);
  const pages = Math.ceil(total / itemsOnPage);
  const count = `${counted(messages, 'message')} and ${counted(summaries, 'summary', 'summaries')}`;
  const about = `Remembered ${where}: ${count}, newest first. Page ${page} of ${pages}.`;
  return [
    ...say(...offNotes(remembered), about),
    { type: 'fields', fields: items.map(fieldOf) },
    {
      type: 'choices',
      choices: [
        ...(page < pages ? [{ label: 'Older', command: `memory show --page ${page + 1}` }] : []),
        ...(page > 1 ? [{ label: 'Newer', command: `memory show --page ${page - 1}` }] : []),
      ],
    },
  ];
}

async function showOne(remembered: CouncilMemory, what: string): Promise<Blocks> {
  return whole(await remembered.one(idIn(what)));
}

function offNotes({ isOn }: CouncilMemory): readonly string[] {
  return isOn
    ? []
    : [
        'Memory is switched off here: nothing of what was said before goes into a prompt, and nothing is summed up. What was said is kept all the same.',
      ];
}

/** `abc The text`, or the two apart. */
function correctionIn({ what = '', text }: Given): { readonly id: string; readonly text: string } {
  const [, first = '', after = ''] = /^\s*(\S+)\s*(.*)$/s.exec(what) ?? [];
  const given = (text ?? unquoted(after)).trim();
  if (first === '' || given === '' || (text !== undefined && after !== '')) {
    throw new CommandError(
      'Give the id of a summary and its new text, e.g. memory edit 3f9a2b7c1d The harbour is dredged in May.',
    );
  }
  if (given.length > mostTextChars) {
    throw new CommandError(
      `A summary may have ${mostTextChars} characters, and this has ${given.length}. Shorten it.`,
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
    throw new CommandError('Give the id of a memory. Without one, memory shows what there is.');
  }
  return id;
}

function fieldOf(item: MemoryItem): { readonly name: string; readonly value: string } {
  const { by, sources, sourceCount } = item;
  const shown = sources.slice(0, mostSourcesInList);
  const beyond = sources.length - shown.length;
  const from =
    by !== undefined
      ? sources.flatMap(({ link }) => link ?? [])
      : [...shown.map(sourceLine), ...(beyond > 0 ? [`and ${beyond} more questions`] : [])];
  const about = [by === undefined ? `Summary of ${sourceCount} messages` : inlineMarkdown(by)];
  const line = [...about, shownTime(item.at), ...item.marks].join(' · ');
  const text = `“${inlineMarkdown(shortened(item.text))}”`;
  return { name: item.id, value: [line, text, ...from].join('\n') };
}

/** All of its text, and of what it was made. */
function whole(item: MemoryItem): Blocks {
  const { name } = fieldOf(item);
  const about = fieldOf({ ...item, text: '' }).value.split('\n')[0] ?? '';
  const { by, sources } = item;
  const title = by === undefined ? 'Made of' : 'Where it was said';
  return [
    { type: 'fields', fields: [{ name, value: about }] },
    { type: 'text', text: quoted(item.text) },
    { type: 'fields', fields: [{ name: title, value: sources.map(sourceLine).join('\n') }] },
  ];
}

function sourceLine({ by, at, link }: MemorySource): string {
  const said = `${by.map(inlineMarkdown).join(', ')}, ${shownTime(at)}`;
  return link === undefined ? `- ${said}` : `- ${said}: ${link}`;
}

/** Line by line, so that nothing in it is anything but text. */
function quoted(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `> ${inlineMarkdown(line)}`.trimEnd())
    .join('\n');
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= shownChars
    ? line
    : `${characters
        .slice(0, shownChars - 1)
        .join('')
        .trimEnd()}…`;
}

function shownTime(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

function say(...sentences: readonly string[]): Blocks {
  return [{ type: 'text', text: sentences.join('\n\n') }];
}
