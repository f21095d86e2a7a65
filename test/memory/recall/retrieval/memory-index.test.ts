import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  analyse,
  loadLanguage,
  noLanguage,
} from '../../../../src/memory/recall/retrieval/language.ts';
import {
  MemoryIndex,
  type MemoryQuestion,
  vectorOf,
} from '../../../../src/memory/recall/retrieval/memory-index.ts';
import { PostingLists } from '../../../../src/memory/recall/retrieval/posting-lists.ts';
import type { MemoryDocument } from '../../../../src/memory/recall/retrieval/threads.ts';
import { Vocabulary } from '../../../../src/memory/recall/retrieval/vocabulary.ts';

function said(text: string, changes: Partial<MemoryDocument> = {}): MemoryDocument {
  const key = changes.key ?? text;
  const fixed = {
    kind: 'message',
    threadId: 't',
    speaker: 'Ada',
    createdAt: 0,
    position: 0,
  } as const;
  return { ...fixed, text, ...changes, key };
}

function indexOf(documents: readonly MemoryDocument[]): MemoryIndex {
  const index = new MemoryIndex();
  for (const document of documents) index.add(document);
  return index;
}

/** Each in a thread of its own, one second after the other. */
function apart(texts: readonly string[]): MemoryIndex {
  return indexOf(texts.map((text, at) => said(text, { threadId: `t${at}`, createdAt: at * 1000 })));
}

function found(index: MemoryIndex, question: string, more: Partial<MemoryQuestion> = {}) {
  return index.search({ text: question, limit: 10, ...more }).map(({ document }) => document.key);
}

describe('finding what was said', () => {
  test('ranks by rare words, whatever their form, and passes over words without a meaning', async () => {
    const index = apart([
      'The cat is on the roof.',
      'She adopted two greyhounds.',
      'Is it what you have?',
    ]);
    const language = await loadLanguage('english');
    expect(found(index, 'Has she been adopting a greyhound?', { language })).toEqual([
      'She adopted two greyhounds.',
    ]);
    expect(found(index, 'Is it what you have?', { language })).toEqual([]);
  });

  test('passes over English words without a meaning in a channel of another language', async () => {
    const index = apart([
      'Is there a bus from the harbour to the island?',
      'Der Hafen wird im Mai gebaggert.',
      'Wer bezahlt den Bagger?',
    ]);
    const language = await loadLanguage('german');
    expect(found(index, 'What is the price of a cake, and where is it?', { language })).toEqual([]);
    expect(found(index, 'When is the bus?', { language })).toHaveLength(1);
  });

  test('finds compounds and forms that a stemmer misses', async () => {
    const index = apart(['Der Träger sitzt.', 'Wir essen Kuchen.', 'Das Wetter ist gut.']);
    const language = await loadLanguage('german');
    expect(found(index, 'Wann kommt der Stahlträger?', { language })[0]).toBe('Der Träger sitzt.');
  });

  test.each([
    ['Chinese', ['我们昨天讨论了预算问题。', '他的狗生病了。'], '预算是多少？'],
    ['Japanese', ['来年の幹事は佐藤さんです。', '温泉は草津がいいです。'], '幹事は誰ですか。'],
    ['Thai', ['งบประมาณของเราหมดแล้ว', 'แมวของเขาหายไป'], 'งบประมาณเหลือเท่าไร'],
  ])('finds %s, which has no spaces between words', (_, texts, question) => {
    expect(found(apart(texts), question)[0]).toBe(texts[0]);
  });

  test('finds a word with other particles, vowel signs or capitals', () => {
    const texts = ['서울 사무실을 닫자', 'نُقَلِّلُ التَّكَالِيف', 'İstanbul ofisi kapandı'];
    const asked = ['사무실은 어디?', 'التكاليف', 'istanbul'];
    expect(asked.map((question) => found(apart(texts), question)[0])).toEqual(texts);
  });

  test('gives the messages next to a match their share, only those of its thread, nearest most', () => {
    const texts = ['far', 'before', 'the quiet harbour', 'after', 'later'];
    const index = indexOf([
      ...texts.map((text, createdAt) => said(text, { createdAt, speaker: '' })),
      said('elsewhere', { threadId: 'other', createdAt: 2 }),
    ]);
    expect(found(index, 'harbour')).toEqual([
      'the quiet harbour',
      'after',
      'before',
      'later',
      'far',
    ]);
  });

  test('finds what was said around a message with several forms of a word', async () => {
    const texts = ['paint, painted, painting', 'after', 'later', 'far'];
    const index = indexOf(texts.map((text, createdAt) => said(text, { createdAt, speaker: '' })));
    const language = await loadLanguage('english');
    expect(found(index, 'paint', { language })).toEqual(texts);
  });

  test('reads a message with those around it, and ranks by how many words of the question they hold', () => {
    const thread = (threadId: string, texts: readonly string[]) =>
      texts.map((text, createdAt) =>
        said(text, { threadId, createdAt, key: `${threadId}${createdAt}` }),
      );
    const index = indexOf([
      ...thread('same', ['The harbour.', 'Yes.', 'Harbour, harbour!']),
      ...thread('both', ['The harbour.', 'Yes.', 'The winter.']),
    ]);
    expect(found(index, 'harbour winter').slice(0, 3).toSorted()).toEqual([
      'both0',
      'both1',
      'both2',
    ]);
  });

  test('counts words without a meaning beside a match only', async () => {
    const index = apart([
      ...[
        'Is this it?',
        'This is the harbour.',
        'Quiet lies our harbour.',
        'Trees.',
        'Dogs.',
        'Cake.',
      ],
    ]);
    const language = await loadLanguage('english');
    expect(found(index, 'Is this the harbour?', { language })).toEqual([
      'This is the harbour.',
      'Quiet lies our harbour.',
    ]);
  });

  test('prefers what follows a question that fits, though it has none of its words', () => {
    const thread = (threadId: string, opening: string) => [
      said(opening, { threadId, createdAt: 0, key: `${threadId} opening`, speaker: '' }),
      said('On Friday.', { threadId, createdAt: 1, key: threadId, speaker: '' }),
    ];
    const index = indexOf([...thread('told', 'Ship comes.'), ...thread('asked', 'Ship comes?')]);
    const ranked = found(index, 'ship');
    expect(ranked.indexOf('asked')).toBeLessThan(ranked.indexOf('told'));
  });

  test('takes all that sages say to a question for what follows it', () => {
    const turn = (turnId: string | undefined, threadId: string) =>
      ['When does the ship come?', 'Patience.', 'Courage.', 'Trust.'].map((text, createdAt) =>
        said(text, {
          threadId,
          createdAt,
          key: `${threadId} ${createdAt}`,
          speaker: `${createdAt}`,
          ...(turnId !== undefined && { turnId }),
        }),
      );
    const ranked = found(
      indexOf([...turn('a turn', 'council'), ...turn(undefined, 'people')]),
      'ship',
    );
    expect(ranked.indexOf('council 3')).toBeLessThan(ranked.indexOf('people 3'));
    expect(ranked.indexOf('council 3')).toBeLessThan(ranked.indexOf('people 2'));
  });

  test('finds what was said on a date that the question names', async () => {
    const on = (date: string) =>
      said('The harbour is quiet.', { key: date, threadId: date, createdAt: Date.parse(date) });
    const dates = ['2025-03-02', '2025-03-20', '2025-04-02', '2024-03-02'];
    const index = indexOf(dates.map(on));
    const [english, german] = [await loadLanguage('english'), await loadLanguage('german')];
    expect(found(index, 'What of the harbour on 2 March 2025?', { language: english })[0]).toBe(
      '2025-03-02',
    );
    expect(found(index, 'What happened in April?', { language: english })).toEqual(['2025-04-02']);
    expect(found(index, 'Was war am 20. März?', { language: german })[0]).toBe('2025-03-20');
  });

  test('takes nothing from a name or a date that is everywhere', () => {
    const index = indexOf([said('one', { createdAt: 1 }), said('two', { createdAt: 2 })]);
    expect(found(index, 'What did Ada say in 1970?')).toEqual([]);
  });

  test('knows names in writing without spaces', () => {
    const by = (speaker: string) =>
      said('港は静かだ。', { key: speaker, speaker, threadId: speaker });
    const index = indexOf([by('孔子'), by('紫式部')]);
    expect(found(index, '孔子は港について何と言いましたか。')[0]).toBe('孔子');
    expect(found(index, '紫式部は港について何と言いましたか。')[0]).toBe('紫式部');
  });

  test('prefers what was said by the one whom the question names', () => {
    const by = (speaker: string, createdAt: number) =>
      said('The harbour is quiet.', { key: speaker, speaker, threadId: speaker, createdAt });
    const index = indexOf([by('nassim_taleb', 1), by('Bea', 2)]);
    expect(found(index, 'harbour')).toEqual(['Bea', 'nassim_taleb']);
    expect(found(index, 'What did Taleb say of the harbour?')).toEqual(['nassim_taleb', 'Bea']);
  });

  test('lets time decide between equals only', () => {
    const index = indexOf(
      ['old', 'new'].map((key, createdAt) => said('harbour', { key, threadId: key, createdAt })),
    );
    index.add(said('harbour, harbour!', { key: 'best', threadId: 'best', createdAt: -1 }));
    expect(found(index, 'harbour')).toEqual(['best', 'new', 'old']);
  });

  test('adds the likeness of vectors of one model, and never compares those of two', () => {
    const index = indexOf([
      said('about ships', { threadId: 'a' }),
      said('about trees', { threadId: 'b' }),
      said('about boats', { threadId: 'c' }),
    ]);
    index.addVector('about ships', vectorOf('p:m', [1, 0.1]));
    index.addVector('about trees', vectorOf('p:m', [0, 1]));
    index.addVector('about boats', vectorOf('p:other', [1, 0.1]));
    const vector = vectorOf('p:m', [1, 0]);
    expect(found(index, 'vessels', { vector })).toEqual(['about ships']);
    expect(found(index, 'trees', { vector })).toEqual(['about trees', 'about ships']);
  });

  test('leaves out what it is told to, as if it were not there', () => {
    const index = indexOf([
      said('before', { createdAt: 0 }),
      said('the harbour', { createdAt: 1 }),
      said('harbour again', { createdAt: 2, threadId: 'other' }),
    ]);
    const isLeftOut = ({ key }: MemoryDocument) => key === 'the harbour';
    expect(found(index, 'harbour', { isLeftOut })).toEqual(['harbour again']);
  });

  test('gives the same ranking whatever came, went and came again before', () => {
    const words = ['harbour', 'harbours', 'harbourer', 'ship', 'tree', 'Ada', '船', '船が来る'];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((all) => all.join(' '));
    const document = fc.record({ text, threadId: fc.constantFrom('a', 'b') });
    const documents = fc.array(document, { maxLength: 12 });
    fc.assert(
      fc.property(documents, text, fc.nat(), (given, question, seed) => {
        const all = given.map((one, at) => said(one.text, { ...one, key: `${at}`, createdAt: at }));
        const shuffled = all.toSorted(
          (one, other) => ((Number(one.key) * seed) % 13) - ((Number(other.key) * seed) % 13),
        );
        const index = indexOf([...all, ...shuffled]);
        for (const one of shuffled) index.add(one);
        index.add(said('harbour ship tree', { key: 'gone' }));
        index.search({ text: question, limit: 50 });
        index.remove('gone');
        expect(index.search({ text: question, limit: 50 })).toEqual(
          indexOf(all).search({ text: question, limit: 50 }),
        );
      }),
    );
  });
});

describe('a search in a scope that someone filled to slow it down', () => {
  /** Words that share all trigrams but their last. */
  const alike = (at: number) => `understandingly${String.fromCodePoint(0x250 + at)}`;

  test('compares a long question no further than by its most telling words', () => {
    const words = Array.from({ length: 6000 }, (_, at) => alike(at));
    const texts = Array.from({ length: 100 }, (_, at) =>
      words.slice(at * 60, at * 60 + 60).join(' '),
    );
    const vocabulary = new Vocabulary();
    const lists = new PostingLists();
    for (const [at, text] of texts.entries()) lists.add(at, analyse(text).words);
    vocabulary.learn(lists, { ...noLanguage, name: 'other' });
    const like = vocabulary.speltLike(words.slice(0, 500));
    expect(like[0]).toHaveLength(64);
    // Each word would be compared with 6,000 others by 14 trigrams.
    expect(like.filter(({ length }) => length > 0).length).toBeLessThan(20);
    expect(found(apart(texts), words.slice(0, 500).join(' '))).toContain(texts[0]);
  });

  test('ranks the forms of a stem that has thousands for the first words alone', () => {
    const vocabulary = new Vocabulary();
    const lists = new PostingLists();
    const forms = Array.from({ length: 15_000 }, (_, at) => [`walking${at}`, 1] as const);
    lists.add(0, new Map(forms));
    const stem = (word: string) => word.replace(/\d+$/, '');
    vocabulary.learn(lists, { ...noLanguage, name: 'other', stem });
    const like = vocabulary.speltLike(['walkingx', 'walkingy', 'walkingz']);
    expect(like.map(({ length }) => length)).toEqual([64, 0, 0]);
  });

  test('finds the one rare word of a long question among common ones', () => {
    const common = Array.from({ length: 200 }, (_, at) => `common${at}x`);
    const texts = Array.from({ length: 30 }, (_, at) => `${common.join(' ')} number${at}`);
    const index = apart([...texts, 'The zeppelin.']);
    expect(found(index, `${common.join(' ')} zeppelin`)[0]).toBe('The zeppelin.');
  });

  test('takes of many words without a meaning the 128 in the fewest messages', async () => {
    const letters = Array.from({ length: 200 }, (_, at) => String.fromCodePoint(0x1200 + at))
      .filter((letter) => /\p{L}/u.test(letter))
      .slice(0, 129);
    const [common = '', ...rare] = letters;
    const index = apart([
      ...[rare.join(' '), 'Trees.', 'Dogs.', 'Cake.', `${common} alone`],
      ...[`The harbour ${common}`, 'The harbour \u1300'],
    ]);
    const asked = (words: readonly string[]) =>
      found(index, `harbour ${words.join(' ')}`).slice(0, 2);
    const [, ...fewer] = rare;
    expect(asked([common, ...fewer])).toEqual([`The harbour ${common}`, 'The harbour \u1300']);
    // Without the common one, time decides between equals.
    expect(asked(letters)).toEqual(['The harbour \u1300', `The harbour ${common}`]);
  });
});
