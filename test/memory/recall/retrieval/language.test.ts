import { describe, expect, test } from 'vitest';
import {
  detectLanguage,
  knownLanguages,
  languageOfSetting,
  loadLanguage,
} from '../../../../src/memory/recall/retrieval/language.ts';

const samples = {
  english:
    'We talked about the budget of the garden for a long time, and then the neighbour came along with the dog that she had adopted in spring.',
  german:
    'Wir haben gestern lange über den Haushalt gesprochen, und dann kam die Nachbarin mit dem Hund vorbei, den sie im Frühling aufgenommen hat.',
  french:
    'Nous avons longtemps parlé du budget du jardin, puis la voisine est arrivée avec le chien qu’elle avait adopté au printemps dernier.',
  japanese: '昨日は予算について長く話し合いました。そのあと、隣の人が犬を連れて来ました。'.repeat(
    4,
  ),
} as const;

describe('the languages of retrieval', () => {
  test.each(Object.entries(samples))('tells %s from a text', (name, sample) => {
    expect(detectLanguage(sample)).toBe(name);
  });

  test('tells nothing from a few words, or of a language that it does not know', () => {
    expect(detectLanguage('How are you')).toBe('none');
    expect(detectLanguage('Chúng tôi đã nói chuyện rất lâu về ngân sách. '.repeat(5))).toBe('none');
  });

  test('knows a language by the name of a setting', () => {
    expect(languageOfSetting(' German ')).toBe('german');
    expect(languageOfSetting('auto')).toBeUndefined();
    expect(languageOfSetting('constructor')).toBeUndefined();
  });

  test('loads every language that it knows, and stems nothing where there is no stemmer', async () => {
    for (const name of knownLanguages) {
      const { stopWords, stem } = await loadLanguage(name);
      expect(stopWords.size, name).toBeGreaterThan(10);
      expect(stem('abc'), name).toMatch(/./);
    }
    expect((await loadLanguage('slovenian')).stem('hišami')).toBe('hišami');
    expect((await loadLanguage('klingon')).stopWords.size).toBe(0);
  });

  test('knows the parts of words with an apostrophe as stop words', async () => {
    const { stopWords } = await loadLanguage('english');
    for (const part of ['don', 't', 've', 'what']) expect(stopWords.has(part), part).toBe(true);
  });
});
