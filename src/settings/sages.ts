/** Reads the predefined sages in `config/sages`: Markdown files with front matter and a prompt, and their pictures. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { z } from 'zod';
import { oneEmoji } from '../domain/words.ts';
import { check } from './check.ts';
import {
  type FileText,
  fileProblem,
  type Mistake,
  readTextFile,
  readYaml,
  shownPath,
  type YamlSource,
} from './config-source.ts';
import { group, line, modelName, sageKey } from './file-kinds.ts';

const emojiError = 'one emoji. Write e.g. 🏛️';
const avatarError =
  'the https address of a picture, of at most 2000 characters. Write e.g. https://example.org/owl.png';

const frontMatterSchema = group({
  name: line(80, 'Marcus Aurelius'),
  description: line(300, 'Stoic emperor, for questions of duty, adversity and self-command.'),
  emoji: z.string({ error: emojiError }).regex(oneEmoji, { error: emojiError }).exactOptional(),
  avatarUrl: z
    .url({ protocol: /^https$/, error: avatarError })
    .max(2000, { error: avatarError })
    .exactOptional(),
  model: modelName.exactOptional(),
});

/** Lines with `---` open and close the front matter. The body is optional. */
const frontMatterAndBody =
  /^---[ \t]*\n(?<frontMatter>[\s\S]*?)(?<=\n)---[ \t]*(?:\n(?<body>[\s\S]*))?$/;

/** A longer prompt would crowd out the question. */
const maxPromptChars = 20_000;

/** A predefined sage. */
export interface ConfiguredSage extends z.infer<typeof frontMatterSchema> {
  /** Name of its file without `.md`. */
  readonly key: string;
  /** The tailored prompt. Absent: the generic role prompt. */
  readonly prompt?: string;
}

/** The contents of a sage's file. */
export interface SageFile {
  /** Name of the file without `.md`, even if it is no valid key. */
  readonly key: string;
  /** Absent if there is any mistake. */
  readonly sage?: ConfiguredSage;
  /** The front matter, for the lines of mistakes found later. */
  readonly source: YamlSource;
  readonly mistakes: readonly Mistake[];
}

/**
 * Parses the file of a sage.
 *
 * @param file - Path of the file, for mistakes, e.g. `config/sages/marcus_aurelius.md`.
 * @param key - Name of the file without `.md`.
 * @param text - With `\n` line ends.
 */
function readSage(file: string, key: string, text: string): SageFile {
  const parts = frontMatterAndBody.exec(text)?.groups;
  const source = readYaml(file, `\n${parts?.frontMatter ?? ''}`);
  const checked = source.data === undefined ? undefined : check(frontMatterSchema, source);
  const prompt = parts?.body?.trim() ?? '';
  const mistakes = [
    ...keyMistakes(file, key),
    ...source.mistakes,
    ...(parts === undefined ? [frontMatterMistake(file, text)] : (checked?.mistakes ?? [])),
    ...promptMistakes(file, prompt),
  ].map((mistake) => ({ ...mistake, line: mistake.line ?? 1 }));
  if (checked?.value === undefined || mistakes.length > 0) return { key, source, mistakes };
  const sage = { key, ...checked.value, ...(prompt === '' ? {} : { prompt }) };
  return { key, sage, source, mistakes };
}

function frontMatterMistake(file: string, text: string): Mistake {
  const example = 'Write e.g. ---, name: Ada, description: …, --- on four lines';
  return text.startsWith('---')
    ? { file, text: `the front matter is not closed by a line with --- alone. ${example}` }
    : { file, text: `the file does not begin with front matter. ${example}` };
}

function keyMistakes(file: string, key: string): Mistake[] {
  const issues = sageKey.safeParse(key).error?.issues ?? [];
  return issues.map(({ message }) => ({
    file,
    text: `the file's name without .md is not ${message}.md`,
  }));
}

function promptMistakes(file: string, prompt: string): Mistake[] {
  if (prompt.length <= maxPromptChars) return [];
  const text = `the prompt has ${prompt.length} characters, and the limit is ${maxPromptChars}. Shorten it`;
  return [{ file, text }];
}

/** The contents of the folder. */
interface SagesFolder {
  /** Sorted by key, including files with mistakes. */
  readonly files: readonly SageFile[];
  /** By the sage's key. Of several pictures for one key, the first by name counts. */
  readonly pictures: ReadonlyMap<string, Buffer>;
  /** Problems with the folder itself, and with its pictures. */
  readonly mistakes: readonly Mistake[];
}

/** Reads every `*.md` and every picture in the folder except hidden files. */
export function readSages(folder: string): SagesFolder {
  const pictures = new Map<string, Buffer>();
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch (error) {
    return { files: [], pictures, mistakes: [folderMistake(folder, fileProblem(error))] };
  }
  const files = names
    .filter((name) => /\.md$/i.test(name))
    .toSorted()
    .map((name) => sageIn(join(folder, name), name.slice(0, -'.md'.length)));
  const mistakes: Mistake[] = [];
  // Editors on Windows hide that they save a text as `ada.md.txt`.
  for (const name of names) {
    const [, key] = /^(.+)\.(?:md\.txt|markdown)$/i.exec(name) ?? [];
    const file = shownPath(join(folder, name));
    if (key) mistakes.push({ file, text: `is not read. Rename it to ${key}.md` });
  }
  if (files.length === 0)
    mistakes.push({ file: shownPath(folder), text: 'has no sages. Put one file per sage in it' });
  for (const name of names.filter((one) => extensions.has(extname(one).toLowerCase())).toSorted()) {
    const key = name.slice(0, -extname(name).length);
    const path = join(folder, name);
    const read = readPicture(path);
    if (Buffer.isBuffer(read)) pictures.set(key, pictures.get(key) ?? read);
    else mistakes.push({ file: shownPath(path), text: read });
  }
  return { files, pictures, mistakes };
}

function sageIn(path: string, key: string): SageFile {
  const file = shownPath(path);
  const read = readTextFile(path);
  if (read.status === 'read') return readSage(file, key, read.text);
  const text = read.status === 'missing' ? 'is a link to a file that is missing' : read.problem;
  return { key, source: readYaml(file, ''), mistakes: [{ file, text }] };
}

function folderMistake(folder: string, read: Exclude<FileText, { status: 'read' }>): Mistake {
  const file = shownPath(folder);
  if (read.status === 'unreadable') return { file, text: read.problem };
  const above = dirname(folder);
  return existsSync(above)
    ? { file, text: 'is missing. Make it and put one file per sage in it' }
    : { file: shownPath(above), text: 'is missing. Make it, or name another folder' };
}

/** Discord's limit for an emoji, because pictures are uploaded as emoji there. */
const maxPictureBytes = 256 * 1024;
const extensions: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

/** The magic numbers of picture formats. */
const magicNumbers = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['52494646', 'image/webp'],
] as const;

/** The media type of a picture, by its first bytes. Absent: not an accepted format. */
export function pictureType(bytes: Buffer): string | undefined {
  const start = bytes.toString('hex', 0, 4);
  return magicNumbers.find(([one]) => start.startsWith(one))?.[1];
}

/** @returns The bytes, or what is wrong with the file. */
function readPicture(path: string): Buffer | string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const problem = fileProblem(error);
    return problem.status === 'missing' ? 'is a link to a file that is missing' : problem.problem;
  }
  if (!pictureType(bytes)) return 'is not a picture. Save it as PNG, JPEG, GIF or WebP';
  if (bytes.length <= maxPictureBytes) return bytes;
  return `has ${Math.ceil(bytes.length / 1024)} KB. The limit is 256 KB: save it smaller, e.g. 128 pixels wide and high`;
}
