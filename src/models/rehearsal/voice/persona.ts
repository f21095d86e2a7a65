/** A sage as the rehearsal can play it: what its own file says it looks at, asks and distrusts. */

import type { RehearsalSage } from '../options.ts';
import { pick, quotingLeads, stableHash } from './phrases.ts';
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

/** What a prompt tells a sage to do, in verbs. */
export const imperatives: ReadonlySet<string> = new Set(
  `accept acknowledge admit aim allow apply argue ask assume attend avoid be beware begin bring build care challenge
  check choose compare concede consider count decide defend demand describe distinguish distrust divide doubt
  examine expect explain explore favour favor find follow give grant guard help hold honour honor hunt identify ignore
  imagine insist inspect judge keep leave let list listen look make map measure mention mistrust name notice object
  offer open own point prefer press propose protect prove pull push put question read recommend refuse reject remember
  remind respect say search see seek separate set show side sort spot stand start state steer strip suggest suspect
  take talk tell test think trace translate treat trust try turn use value warn watch weigh work worry`.split(
    /\s+/,
  ),
);

const beforeSubject =
  '(?:and|but|or|that|what|when|if|which|because|until|as|where|how|why|before|after|than|so|unless|while|whether|though|who|whatever|once)';
const beforeObject =
  '(?:to|for|of|with|from|at|on|by|about|against|around|tells?|gives?|makes?|lets?|shows?|helps?|brings?|asks?|interests?|worries|bores?|convinces?|moves?|without|between|behind|before)';

/**
 * Turns an English sentence that a prompt addresses to a sage into one that the sage says itself.
 *
 * @returns `undefined` where that can't be done word by word.
 */
function inFirstPerson(sentence: string): string | undefined {
  if (/^Then /.test(sentence)) return inFirstPerson(capitalised(sentence.slice('Then '.length)));
  const [first = '', second = ''] = sentence.split(' ', 2);
  const word = first.toLowerCase();
  if (word === 'you' || word === 'your') return turned(sentence);
  if (word === 'never' || word === 'always') {
    return imperatives.has(second.toLowerCase()) ? turned(`You ${lowered(sentence)}`) : undefined;
  }
  if (word === "don't" || (word === 'do' && second === 'not'))
    return turned(`You ${lowered(sentence)}`);
  if (word === 'be') return turned(`You are${sentence.slice(first.length)}`);
  return imperatives.has(word) ? turned(`You ${lowered(sentence)}`) : undefined;
}

function capitalised(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}

function lowered(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

function turned(sentence: string): string | undefined {
  const spoken = sentence
    .replaceAll(/\byou are\b/gi, 'I am')
    .replaceAll(/\byou were\b/gi, 'I was')
    .replaceAll(/\byou're\b/gi, "I'm")
    .replaceAll(/\byou've\b/gi, "I've")
    .replaceAll(/\byourself\b/g, 'myself')
    .replaceAll(/\byours\b/g, 'mine')
    .replaceAll(/\byour\b/g, 'my')
    .replace(/^Your\b/, 'My')
    .replaceAll(/(^|[;:,.—–] )you (?=\p{Ll})/giu, '$1I ')
    .replaceAll(new RegExp(`\\b(${beforeSubject}) you (?=\\p{Ll})`, 'giu'), '$1 I ')
    .replaceAll(new RegExp(`\\b(${beforeObject}) you\\b`, 'gi'), '$1 me');
  return /\byou/i.test(spoken) ? undefined : spoken;
}
