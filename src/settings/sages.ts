/** The predefined sages: files in `config/sages`, each with front matter and the tailored prompt as its body; a picture beside one is its face. */

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { check } from './check.ts';
import type { Mistake } from './config-error.ts';
import { group, line, modelName, sageKey } from './file-kinds.ts';
import { type FileText, fileProblem, readTextFile, shownPath } from './text-file.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

const emojiError = 'one emoji. Write e.g. 🏛️';
const avatarError =
  'the https address of a picture, of at most 2000 characters. Write e.g. https://example.org/owl.png';

const frontMatterSchema = group({
  name: line(80, 'Marcus Aurelius'),
  description: line(300, 'Stoic emperor: for questions of duty, adversity and self-command.'),
  emoji: z
    .string({ error: emojiError })
    .regex(/^\p{RGI_Emoji}$/v, { error: emojiError })
    .exactOptional(),
  avatarUrl: z
    .url({ protocol: /^https$/, error: avatarError })
    .max(2000, { error: avatarError })
    .exactOptional(),
  model: modelName.exactOptional(),
});

/** A line with `---` opens and closes the front matter; the body may be missing. */
const frontMatterAndBody =
  /^---[ \t]*\n(?<frontMatter>[\s\S]*?)(?<=\n)---[ \t]*(?:\n(?<body>[\s\S]*))?$/;

/** Beyond this a prompt would crowd out the question it is meant for. */
const maxPromptChars = 20_000;

/** A predefined sage. */
export interface ConfiguredSage extends z.infer<typeof frontMatterSchema> {
  /** Name of its file without `.md`. */
  readonly key: string;
  /** The tailored prompt; absent: the generic role prompt. */
  readonly prompt?: string;
}

/** What was read from one sage's file. */
export interface SageFile {
  /** Name of the file without `.md`, whether or not it is a proper key. */
  readonly key: string;
  /** Absent when there is any mistake. */
  readonly sage?: ConfiguredSage;
  /** The front matter, for the lines of later findings. */
  readonly source: YamlSource;
  readonly mistakes: readonly Mistake[];
}

/**
 * Reads a sage.
 *
 * @param file - The file as a person would name it, e.g. `config/sages/marcus_aurelius.md`.
 * @param key - Its name without `.md`.
 * @param text - Its text, with `\n` line ends.
 */
export function readSage(file: string, key: string, text: string): SageFile {
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
  const parsed = sageKey.safeParse(key);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ message }) => ({
        file,
        text: `the file's name without .md is not ${message}.md`,
      }));
}

function promptMistakes(file: string, prompt: string): Mistake[] {
  if (prompt.length <= maxPromptChars) return [];
  const text = `the prompt has ${prompt.length} characters. At most ${maxPromptChars} are taken: shorten it`;
  return [{ file, text }];
}

/** What was read from the folder. */
interface SagesFolder {
  /** By key in alphabetical order; those with mistakes too. */
  readonly files: readonly SageFile[];
  /** What is wrong with the folder itself. */
  readonly mistakes: readonly Mistake[];
}

/** Reads every `*.md` in the folder, other than hidden files: each is a sage. */
export function readSages(folder: string): SagesFolder {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    return { files: [], mistakes: [folderMistake(folder, fileProblem(error))] };
  }
  const files = names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .toSorted()
    .map((name) => sageIn(join(folder, name), name.slice(0, -'.md'.length)));
  return { files, mistakes: [] };
}

function sageIn(path: string, key: string): SageFile {
  const file = shownPath(path);
  const read = readTextFile(path);
  if (read.status === 'read') return readSage(file, key, read.text);
  const text = read.status === 'missing' ? 'is a link to a file that is missing' : read.problem;
  return { key, source: readYaml(file, ''), mistakes: [{ file, text }] };
}

function folderMistake(folder: string, read: Exclude<FileText, { status: 'read' }>): Mistake {
  const text =
    read.status === 'missing'
      ? 'is missing. Make it and put one file per sage in it'
      : read.problem;
  return { file: shownPath(folder), text };
}

/** Discord's bound for an emoji, which is what a face becomes there. */
const mostBytes = 256 * 1024;
const endings: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

/** How each kind of picture begins. */
const beginnings = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['52494646', 'image/webp'],
] as const;

/** What kind of picture these bytes are, by their beginning and not by a name; absent: none that is taken. */
export function pictureType(bytes: Buffer): string | undefined {
  const begin = bytes.toString('hex', 0, 4);
  return beginnings.find(([one]) => begin.startsWith(one))?.[1];
}

/** Reads the pictures of a folder; one that is missing or can't be read has none. */
export function readPictures(folder: string): {
  /** By the sage's key; of several the first by name. */
  readonly pictures: ReadonlyMap<string, Buffer>;
  readonly mistakes: readonly Mistake[];
} {
  const pictures = new Map<string, Buffer>();
  const mistakes: Mistake[] = [];
  for (const name of namesIn(folder)) {
    const key = name.slice(0, -extname(name).length);
    const path = join(folder, name);
    const read = readPicture(path);
    if (Buffer.isBuffer(read)) pictures.set(key, pictures.get(key) ?? read);
    else mistakes.push({ file: shownPath(path), text: read });
  }
  return { pictures, mistakes };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => endings.has(extname(name)) && !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    fileProblem(error);
    return [];
  }
}

/** @returns The bytes, or what is wrong with them. */
function readPicture(path: string): Buffer | string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const problem = fileProblem(error);
    return problem.status === 'missing' ? 'is a link to a file that is missing' : problem.problem;
  }
  if (!pictureType(bytes)) return 'is not a picture. Save it as PNG, JPEG, GIF or WebP';
  if (bytes.length <= mostBytes) return bytes;
  return `has ${Math.ceil(bytes.length / 1024)} KB. The limit is 256 KB: save it smaller, e.g. 128 pixels wide and high`;
}
