/** Every function that reads text which a stranger, a model or a server has written; what the operator writes is not among it. */

import { z } from 'zod';
import { addressedSage } from '../src/council/addressing.ts';
import { readBallot } from '../src/council/ballot.ts';
import { customKey, nameProblem, tidyName } from '../src/council/sage-name.ts';
import { fence } from '../src/domain/fence.ts';
import { redact } from '../src/domain/log.ts';
import {
  escapeHtml,
  firstCharacters,
  firstSentences,
  inlineMarkdown,
  oneLine,
} from '../src/domain/words.ts';
import { estimateTokens } from '../src/memory/recall/context-budget.ts';
import { analyse, detectLanguage, loadLanguage } from '../src/memory/recall/retrieval/language.ts';
import { missingFrom, pointsOf, restsOn } from '../src/memory/summaries/coverage.ts';
import { strangeLines, wordCount } from '../src/memory/summaries/passages.ts';
import { findJson } from '../src/models/json-in-text.ts';
import { quotable } from '../src/models/model-options.ts';
import { createLeadingThought } from '../src/models/openai/leading-thought.ts';
import { createEventDecoder } from '../src/models/response-body.ts';
import { saidHtml, saidInline } from '../src/pages/said-html.ts';
import { parseCommandLine } from '../src/platforms/chat/text/command-line.ts';
import { outsideCode } from '../src/platforms/chat/text/outside-code.ts';
import { excerpt, splitMarkdown } from '../src/platforms/chat/text/split-markdown.ts';
import { fitLine, widthOf } from '../src/platforms/chat/text/text-width.ts';
import {
  shortName,
  showLinkHosts,
  visibleName,
  visibleText,
} from '../src/platforms/chat/text/visible-text.ts';
import { readCustomId } from '../src/platforms/discord/custom-id.ts';
import {
  breakFences,
  discordDialect,
  discordMarkdown,
  inertDiscordText,
} from '../src/platforms/discord/discord-text.ts';
import { inertDiscordName, webhookName } from '../src/platforms/discord/presenter/persona.ts';
import { readAction } from '../src/platforms/slack/action-id.ts';
import { markdownBlock } from '../src/platforms/slack/presenter/blocks.ts';
import { settledMarkdown } from '../src/platforms/slack/presenter/growing-message.ts';
import { inertName } from '../src/platforms/slack/presenter/persona.ts';
import {
  escapeSlackText,
  inertSlackMarkdown,
  mentions,
  peopleIn,
  plainQuestion,
  slackName,
  slackNotice,
} from '../src/platforms/slack/slack-text.ts';
import { readMessageEvent } from '../src/platforms/slack/surroundings/said-message.ts';
import { paletteFor } from '../src/platforms/terminal/page.ts';
import { proseLines, wholeLines } from '../src/platforms/terminal/prose.ts';
import { plainName, plainText } from '../src/platforms/terminal/terminal-text.ts';
import { benchSages } from './bench-council.ts';

export type Reader = (text: string) => unknown;

const own = { botUserId: 'U1', botId: 'B1' };
const english = await loadLanguage('english');
const called = {
  provider: 'p',
  model: 'm',
  baseUrl: 'http://127.0.0.1/v1',
  apiKey: 'k'.repeat(20),
};
const encoder = new TextEncoder();
const commands = [{ name: 'ask', description: 'Asks.', options: z.object({}) }];
/** In pieces of a size that models send. */
function pieces(text: string, take: (piece: string) => unknown): void {
  for (let from = 0; from < text.length; from += 12) take(text.slice(from, from + 12));
}

export const readers: Readonly<Record<string, Reader>> = {
  // Questions and what surrounds them.
  addressedSage: (text) => addressedSage(text, benchSages),
  parseCommandLine: (text) => parseCommandLine(text, commands),
  peopleIn: (text) => peopleIn(text, 'U1'),
  mentions: (text) => mentions(text, 'U1'),
  plainQuestion: (text) => plainQuestion(text, 'U1', new Map()),
  readMessageEvent: (text) =>
    readMessageEvent({ type: 'message', channel: 'C1', user: 'U2', ts: '1.2', text }, own),
  readCustomId,
  readAction,
  // Names.
  tidyName,
  nameProblem: (text) => nameProblem(text, benchSages),
  customKey,
  visibleName,
  shortName: (text) => shortName(text, 80),
  plainName,
  slackName,
  inertName,
  inertDiscordName,
  webhookName: (text) => webhookName(text, 'Sage'),
  // Prompts.
  fence: (text) => fence('question', text),
  'fence, attribute': (text) => fence('question', '', { name: text }),
  oneLine,
  // Replies of models.
  readBallot: (text) => readBallot(text, ['A', 'B', 'C', 'D']),
  firstSentences: (text) => firstSentences(text, 300),
  findJson: (text) => [...findJson(text)],
  'findJson, first': (text) => findJson(text).next(),
  createLeadingThought: (text) => {
    const thought = createLeadingThought();
    pieces(text, (piece) => thought.take(piece));
    return thought.end();
  },
  createEventDecoder: (text) => {
    const decoder = createEventDecoder();
    pieces(text, (piece) => decoder.take(encoder.encode(piece)));
    return decoder.end();
  },
  quotable: (text) => quotable(text, called),
  // What is shown.
  visibleText,
  firstCharacters: (text) => firstCharacters(text, 200),
  splitMarkdown: (text) => splitMarkdown(text, 2000),
  excerpt: (text) => excerpt(text, 300),
  breakFences,
  outsideCode: (text) => outsideCode(text, (prose) => prose),
  showLinkHosts,
  inertDiscordText,
  discordMarkdown,
  discordDialect,
  escapeSlackText,
  inertSlackMarkdown,
  slackNotice: (text) => slackNotice(text, 3000),
  markdownBlock,
  'settledMarkdown, word': (text) => settledMarkdown(text, 'word'),
  'settledMarkdown, line': (text) => settledMarkdown(text, 'line'),
  plainText,
  proseLines: (text) => proseLines(text, { palette: paletteFor(true), width: 80 }),
  'proseLines, plain': (text) => proseLines(text, { palette: paletteFor(false), width: 80 }),
  wholeLines,
  widthOf,
  fitLine: (text) => fitLine(text, 80),
  // Memory and exports.
  analyse,
  detectLanguage,
  pointsOf: (text) => pointsOf([{ by: 'Ada', kind: 'answer', text }], english),
  missingFrom: (text) =>
    missingFrom(
      text,
      pointsOf([{ by: 'Ada', kind: 'question', text: 'Why now?' }], english),
      english,
    ),
  strangeLines: (text) => strangeLines(['Ada', '田中'], text),
  wordCount,
  restsOn: (text) => restsOn('We decided to go.', text, english),
  'restsOn, claim': (text) => restsOn(text, 'We decided to go.', english),
  estimateTokens,
  inlineMarkdown,
  escapeHtml,
  saidHtml,
  saidInline,
  // The log.
  redact: (text) => redact(text, ['a secret that is long enough'], text.length),
};
