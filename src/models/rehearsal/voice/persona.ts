/** A sage as the rehearsal can play it: what its own file says it looks at, asks and distrusts. */

import type { RehearsalSage } from '../options.ts';
import { inFirstPerson } from './first-person.ts';
import { quotingLeads } from './phrases.ts';
import { pick, stableHash } from './stable-hash.ts';
import { contentStems, sentences } from './words.ts';

/** One thought out of a sage's file. */
export interface Idea {
  /** A full sentence: in the first person, or the file's own words between quotation marks. */
  readonly text: string;
  /** It is the sage's own sentence, not a quotation from its file. */
  readonly isSpoken: boolean;
  readonly stems: ReadonlySet<string>;
}

export interface Persona {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** The tailored prompt as it stands in the file; empty if there is none. */
  readonly prompt: string;
  /** Moves the choice of phrases, so that neighbours on a bench choose different ones. */
  readonly ordinal: number;
  /** What the sage holds, looks at and does. */
  readonly views: readonly Idea[];
  /** What it asks. */
  readonly questions: readonly Idea[];
  /** What it distrusts and refuses, in others and in itself. */
  readonly doubts: readonly Idea[];
  /** Stems of everything that its file says. */
  readonly stems: ReadonlySet<string>;
}

const shortestIdeaChars = 24;
const longestIdeaChars = 260;
const doubtful =
  /^I (?:am wary|avoid|beware|distrust|do not|don't|doubt|fear|give no|mistrust|never|object|refuse|reject|suspect|warn|watch)\b|“.*\b(?:beware|distrust|never|refuse)\b/i;
const asking = /^I ask\b|\?”?$/;
/** Sentences about the form of a reply say nothing of the mind that replies. */
const aboutForm =
  /\b(?:answer|answers|reply|replies|respond|response|write|words|paragraphs?|json|markdown|format|tone|imitat|persona|role|catchphrase|slogan|quote|quoting|prompt|instructions?|speak as|speak in|sound like)\b/i;

/** Who the sage is, or is not, goes without saying. */
const introduction = /^You (?:are|argue)\b/;

/** Reads a sage's file. Done once for each sage, when the server starts. */
export function readPersona(sage: RehearsalSage, ordinal: number): Persona {
  const prompt = sage.prompt?.trim() ?? '';
  const kept = sentences(prompt).filter(
    (sentence) =>
      sentence.length >= shortestIdeaChars &&
      sentence.length <= longestIdeaChars &&
      !aboutForm.test(sentence) &&
      !introduction.test(sentence) &&
      /[.!?]$/.test(sentence),
  );
  const ideas = kept.map(asIdea);
  const questions = ideas.filter(({ text }) => asking.test(text));
  const others = ideas.filter(({ text }) => !asking.test(text));
  return {
    key: sage.key,
    name: sage.name,
    description: sage.description,
    prompt,
    ordinal,
    views: others.filter(({ text }) => !doubtful.test(text)),
    questions,
    doubts: others.filter(({ text }) => doubtful.test(text)),
    stems: contentStems(`${sage.key.replaceAll('_', ' ')} ${sage.description} ${prompt}`),
  };
}

/** A sage without a file: invented for one turn, or made in chat. */
export function unknownPersona(name: string, description: string, prompt: string): Persona {
  return readPersona({ key: name, name, description, prompt }, stableHash(`${name}\n${prompt}`));
}

function asIdea(sentence: string): Idea {
  const stems = contentStems(sentence);
  const spoken = inFirstPerson(sentence);
  if (spoken !== undefined) return { text: spoken, isSpoken: true, stems };
  const lead = sentence.endsWith('?') ? '' : `${pick(quotingLeads, stableHash(sentence))} `;
  return { text: `${lead}“${sentence}”`, isSpoken: false, stems };
}
