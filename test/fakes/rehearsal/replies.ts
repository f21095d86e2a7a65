/** What the stand-in says where the caller scripts nothing: fixed replies in the form that each part of a council asks for. */

import type { Block, Heard } from './heard.ts';

/** In every reply, so that none is taken for a model's. */
export const notice = 'Scripted rehearsal: no language model is speaking.';

const usualSeats = 4;
const longestQuotedChars = 120;
/** A brief is checked for what it leaves out, so it repeats what was said. */
const longestSaidChars = 6000;

/** The text of the reply. The same call always gets the same one. */
export function replyTo(heard: Heard): string {
  switch (heard.part) {
    case 'moderator':
      return JSON.stringify({
        focus: [],
        predefined_chosen_sages: benchKeys(heard.blocks).slice(0, usualSeats),
        new_sages_to_create: [],
      });
    case 'sage':
      return sageReply(heard);
    case 'docket':
      return JSON.stringify(docketReply(heard.blocks));
    case 'rebuttal':
      return JSON.stringify({
        position: 'hold',
        flaw: '',
        because: `it is scripted. ${notice}`,
        strongest_opposing_point: notice,
      });
    case 'reviewer':
    case 'voter':
      return reviewReply(heard.blocks);
    case 'chair':
      return JSON.stringify({
        verdict: `${notice} It answers the question “${questionOf(heard.blocks)}”.`,
        consensus: [],
        disagreements: [],
        minority_report: '',
        unsettled: [],
        confidence: 'low',
        confidence_reason: notice,
      });
    case 'draft':
      return JSON.stringify({ prompt: `You are the sage that a member described. ${notice}` });
    case 'brief':
      return `${heard.blocks.filter(isNumbered).map(saidLine).join('\n')} ${notice}`;
    case 'compactor':
      return heard.blocks.map(saidLine).join('\n');
    case 'record':
      return JSON.stringify(recordReply(heard.blocks));
    case 'own_answer':
    case 'other':
      return heard.schema === undefined ? notice : JSON.stringify({ answer: notice });
  }
}

function sageReply({ sage, schema, blocks }: Heard): string {
  const answer = `${notice} ${sage ?? 'A sage'} was asked “${questionOf(blocks)}”.`;
  return schema === undefined
    ? answer
    : JSON.stringify({ answer, summary: `${sage ?? 'A sage'}, as scripted.` });
}

/** The first two responses are taken to contradict each other, so that a rehearsal has a rebuttal. */
function docketReply(blocks: readonly Block[]) {
  const stances = blocks
    .filter(({ fence }) => fence === 'response')
    .slice(0, 2)
    .map(({ attributes, text }) => {
      const label = attributes.get('label') ?? '';
      const quote = text.split(/\s+/).slice(0, 12).join(' ');
      return { label, stance: `Response ${label} stands as it is.`, quote };
    });
  const contradictions = stances.length < 2 ? [] : [{ topic: notice, stances }];
  return { consensus: [], contradictions, unique: [], blind_spots: [] };
}

/** Ranks the responses in the order of their labels. */
function reviewReply(blocks: readonly Block[]): string {
  const labels = blocks
    .filter(({ fence }) => fence === 'response')
    .flatMap(({ attributes }) => attributes.get('label') ?? []);
  const ranked = [...new Set(labels)].toSorted();
  return [notice, '', 'FINAL RANKING:']
    .concat(ranked.map((label, index) => `${index + 1}. Response ${label}`))
    .join('\n');
}

/** The last question with the last answer of each sage; nothing is decided. */
function recordReply(blocks: readonly Block[]) {
  const numbered = blocks.filter(isNumbered);
  const answers = numbered.filter(({ fence }) => fence === 'answer');
  const last = new Map(answers.map((block) => [speaker(block), block]));
  return {
    question: numbered.findLast(({ fence }) => fence === 'question')?.text.slice(0, 1000) ?? notice,
    options: [],
    positions: [...last.values()].map(({ attributes, text }) => ({
      said: Number(attributes.get('said')),
      position: text.slice(0, longestQuotedChars),
    })),
    decision: { status: 'none', text: '', said: 0 },
    rationale: notice,
    dissent: [],
    open_questions: [],
    actions: [],
  };
}

function benchKeys(blocks: readonly Block[]): readonly string[] {
  const bench = blocks.find(({ fence }) => fence === 'bench')?.text ?? '';
  return Array.from(bench.matchAll(/^- (\w{1,64})(?::|, called )/gm), ([, key = '']) => key);
}

function questionOf(blocks: readonly Block[]): string {
  const text = blocks.findLast(({ fence }) => fence === 'question')?.text ?? '';
  return text.slice(0, longestQuotedChars).toWellFormed();
}

function isNumbered({ attributes }: Block): boolean {
  return attributes.has('said');
}

function speaker({ attributes }: Block): string {
  return attributes.get('from') ?? attributes.get('sage') ?? 'Somebody';
}

function saidLine(block: Block): string {
  return `${speaker(block)}: ${block.text.slice(0, longestSaidChars).replaceAll('\n', ' ')}`;
}
