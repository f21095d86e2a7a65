/** Turns a sentence that a prompt addresses to a sage into one that the sage says itself. English. */

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

/** @returns The sentence in the first person, or `undefined` where it can't be turned word by word. */
export function inFirstPerson(sentence: string): string | undefined {
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
