/** A sage as the rehearsal can play it: what its own file says it looks at, asks and distrusts. */

import type { RehearsalSage } from '../options.ts';
import { inFirstPerson } from './first-person.ts';
import { stableHash } from './stable-hash.ts';
import { contentStems, sentences } from './words.ts';

/** One thought out of a sage's file. */
export interface Idea {
  /** A full sentence: in the first person, or the file's own words between quotation marks. */
  readonly text: string;
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
  /** Questions that it brings. */
  readonly questions: readonly Idea[];
  /** What it distrusts, refuses and warns of. */
  readonly doubts: readonly Idea[];
  /** Stems of everything that its file says. */
  readonly stems: ReadonlySet<string>;
}

const shortestIdeaChars = 24;
const longestIdeaChars = 260;
const doubtful =
  /\b(?:distrust|mistrust|suspect|doubt|refuse|reject|never|warn|beware|avoid|do not|don't|wary|object|against|fear|hate|dislike|fool)/i;
/** Sentences about the form of a reply say nothing of the mind that replies. */
const aboutForm =
  /\b(?:answer|answers|reply|replies|respond|response|write|words|paragraphs?|json|markdown|format|tone|imitat|persona|role|catchphrase|slogan|quote|quoting|prompt|instructions?|speak as|speak in|sound like)\b/i;

/** Reads a sage's file. Done once for each sage, when the server starts. */
export function readPersona(sage: RehearsalSage, ordinal: number): Persona {
  const prompt = sage.prompt?.trim() ?? '';
  const kept = sentences(prompt).filter(
    (sentence) =>
      sentence.length >= shortestIdeaChars &&
      sentence.length <= longestIdeaChars &&
      !aboutForm.test(sentence) &&
      /[.!?]$/.test(sentence),
  );
  const questions = kept.filter((sentence) => sentence.endsWith('?'));
  const statements = kept.filter((sentence) => !sentence.endsWith('?'));
  const spoken = statements.map(asIdea);
  return {
    key: sage.key,
    name: sage.name,
    description: sage.description,
    prompt,
    ordinal,
    views: spoken.filter((idea) => !doubtful.test(idea.text)),
    questions: questions.map((sentence) => ({
      text: `“${sentence}”`,
      stems: contentStems(sentence),
    })),
    doubts: spoken.filter((idea) => doubtful.test(idea.text)),
    stems: contentStems(`${sage.key.replaceAll('_', ' ')} ${sage.description} ${prompt}`),
  };
}

/** A sage without a file: invented for one turn, or made in chat. */
export function unknownPersona(name: string, description: string): Persona {
  return readPersona({ key: name, name, description }, stableHash(name));
}

function asIdea(sentence: string): Idea {
  const spoken = inFirstPerson(sentence);
  return { text: spoken ?? `My file has it so: “${sentence}”`, stems: contentStems(sentence) };
}
