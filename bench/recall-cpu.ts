/** What a search costs in CPU, with as many messages in scope as are remembered. */

import { loadLanguage } from '../src/memory/recall/retrieval/language.ts';
import { MemoryIndex } from '../src/memory/recall/retrieval/memory-index.ts';
import { mostRemembered } from '../src/store/store.ts';
import type { RecallConversation } from './recall-data.ts';
import { printTable } from './table.ts';

/** As many as a prompt's choice begins with. */
const limit = 60;
const warmUps = 8;
const rounds = 20;

/** Prints it by language, over conversations that are repeated until the scope is full. */
export async function benchSearchCpu(conversations: readonly RecallConversation[]): Promise<void> {
  const languages = [...new Set(conversations.map(({ language }) => language))].sort();
  const rows: (readonly string[])[] = [];
  for (const name of languages) {
    const ofLanguage = conversations.filter(({ language }) => language === name);
    const index = filledWith(ofLanguage);
    const language = await loadLanguage(name);
    const questions = ofLanguage.flatMap((one) => one.questions.map(({ text }) => text));
    const askAll = () => {
      for (const text of questions) index.search({ text, language, limit });
    };
    for (let round = 0; round < warmUps; round += 1) askAll();
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) askAll();
    const { user, system } = process.cpuUsage(before);
    const each = (user + system) / 1000 / rounds / questions.length;
    rows.push([name, String(questions.length), each.toFixed(2)]);
  }
  printTable(
    `CPU of a search in ${mostRemembered} messages`,
    ['language', 'questions', 'milliseconds each'],
    rows,
  );
}

function filledWith(conversations: readonly RecallConversation[]): MemoryIndex {
  const index = new MemoryIndex();
  const turns = conversations.flatMap(({ id, turns: said }) => said.map((turn) => ({ id, turn })));
  for (let place = 0; place < mostRemembered; place += 1) {
    const one = turns[place % turns.length];
    if (!one) break;
    const { speaker, text, createdAt, thread = '' } = one.turn;
    const copy = Math.floor(place / turns.length);
    const threadId = `bench:${one.id}:${copy}:${thread}`;
    index.add({
      key: `${place}`,
      kind: 'message',
      threadId,
      speaker,
      text,
      createdAt,
      position: place,
    });
  }
  return index;
}
