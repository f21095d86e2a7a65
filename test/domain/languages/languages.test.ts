import { expect, test } from 'vitest';
import { english } from '../../../src/domain/languages/english.ts';
import {
  decimal,
  languageOf,
  languages,
  turnWordsIn,
} from '../../../src/domain/languages/languages.ts';

const asked: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Sollen wir die Maschine neu bauen?',
    'Ist Postgres besser als MySQL?',
    'Und was meint ihr?',
    'Hund oder Katze?',
    'was tun bei burnout?',
  ],
  fr: [
    'Je dois partir',
    'Quel nom pour notre application ?',
    'Comment dire à mon chef que je pars ?',
    'pourquoi le ciel est bleu',
    'Chien ou chat ?',
    "T'en penses quoi ?",
  ],
  es: [
    '¿Qué banco es mejor?',
    '¿A dónde vamos en verano?',
    'perro o gato?',
    'debo renunciar',
    'tengo 35 años, es tarde para estudiar',
  ],
  'pt-BR': [
    'Como melhorar o sono agora?',
    'O que vocês acham de Rust em vez de Go?',
    'Precisamos mesmo de Kubernetes?',
    'cachorro ou gato?',
    'o q vcs acham',
    'eh uma boa ideia',
  ],
  it: [
    'Quale banca è la migliore?',
    'Cosa ne pensate di Rust invece di Go?',
    'affitto o compro?',
    'secondo voi ha senso',
  ],
  nl: [
    'Moeten we de motor herschrijven?',
    'Welke bank is het beste voor ons?',
    'Hond of kat? Welke past?',
    'zijn er risico’s',
    'is een elektrische auto de moeite waard',
  ],
  pl: [
    'Czy powinniśmy przepisać silnik?',
    'Który bank jest najlepszy?',
    'kupic czy wynajac?',
    'co myslicie',
    'Zmienić pracę?',
  ],
  tr: [
    'Motoru yeniden mi yazmalıyız?',
    'Bu proje için Postgres mi MySQL mi?',
    'istifa etmeli miyim',
    'Gökyüzü neden mavi?',
  ],
  ru: [
    'Стоит ли переписать движок?',
    'Какой банк лучше?',
    'Почему небо голубое?',
    'увольняться или нет',
  ],
  uk: [
    'Чи варто переписати рушій?',
    'Який банк кращий?',
    'Чому небо блакитне?',
    'шо робити з кредитом',
  ],
  ar: ['هل يجب أن نعيد كتابة المحرك؟', 'أي بنك أفضل؟', 'محتاج نصيحة', 'كيف اصير غني'],
  hi: ['क्या हमें इंजन फिर से लिखना चाहिए?', 'खरीदें या किराए पर लें?', 'क्या करूँ?', 'अमीर कैसे बनें'],
  ja: [
    'エンジンを書き直すべきですか？',
    '転職すべき？',
    '新機能の開発を優先する？',
    '転職活動中\n年収五百万円\n続けるべき？',
  ],
  ko: ['엔진을 다시 작성해야 할까요?'],
  'zh-CN': ['我们应该重写引擎吗？', 'Rust 还是 Go？'],
};

test.each(
  Object.entries(asked).flatMap(([locale, questions]) => questions.map((one) => [locale, one])),
)('knows %s by “%s”', (locale, question) => {
  expect(languageOf('auto', question)).toBe(locale);
});

test.each([
  'Should we rewrite the engine?',
  'Postgres or MySQL?',
  'monorepo vs polyrepo',
  'Hire Maria or Giovanni?',
  'Move to Rio de Janeiro or Buenos Aires?',
  'Should we open our next store in Den Haag or in Antwerpen?',
  'What does “Weltschmerz” mean?',
  'Translate “bonjour à tous” please',
  'Las Vegas or Los Angeles?',
  'São Paulo office lease?',
  'van Gogh or van Eyck',
  'Is Bitcoin a store of value?',
  'Pay per seat or per user?',
  'Hire Ben or Kim?',
  'Comment on this plan',
  'Is laissez-faire dead?',
  'PC or Mac ?',
  'What does 転職 mean in the job market?',
  'Should we move the standup to 10:00 IST?',
  'Is Sturm und Drang an era?',
  'Is Nous Hermes better than Llama?',
  'Where should we rendez-vous?',
  'ESO or WoW?',
  'Is Buena Park safe?',
  'Should we promote Della or Kim?',
  'Get a sono or an MRI?',
  'How does the PRA regulate banks?',
  'Was Brutus right? Was Caesar a tyrant?',
  'How come prices never come down?',
  'How long do I pour, and when do I pour again?',
  'Hello ! Can we talk ?',
  'Docker ? Podman ?',
  'São Paulo or João Pessoa?',
  // Languages without words of their own.
  'Câinele meu este bolnav',
  'Berapa kadar gula darah?',
  'Gusto ko pero mahal',
  'Kya mujhe istifa dena hai?',
  'Var ska jag köpa en bil?',
  'Var en katt bättre?',
  'Jak se liší kočka od psa?',
  'Как да отслабна бързо?',
  'Är det värt att skriva om motorn i Rust?',
  'Chúng ta có nên viết lại động cơ không?',
  'Tôi đã học lập trình, hãy cho tôi lời khuyên',
  'Chó hay mèo?',
  'Co dělat?',
  'Ska vi köpa eller hyra?',
  'Ce telefon să cumpăr?',
  'Kde kúpiť byt a ako?',
  'Máme přepsat engine, nebo ne?',
  'آیا باید موتور را بازنویسی کنیم؟',
  'Трябва ли да пренапишем двигателя?',
])('takes English for “%s”', (question) => {
  expect(languageOf('auto', question) ?? 'en').toBe('en');
});

test.each([
  ['German', 'de'],
  ['Deutsch', 'de'],
  ['Brazilian Portuguese', 'pt-BR'],
  ['日本語', 'ja'],
  ['de', 'de'],
  ['PT-br', 'pt-BR'],
  ['zh', 'zh-CN'],
  ['по-русски', 'ru'],
  ['po polsku', 'pl'],
  ['普通话', 'zh-CN'],
  ['English', 'en'],
  ['Welsh', 'en'],
  ['en-GB', 'en'],
])('the setting %s goes before the question', (setting, locale) => {
  expect(languageOf(setting, '¿Qué banco es mejor?')).toBe(locale);
});

test('a turn of an earlier version has English words', () => {
  expect(turnWordsIn(undefined)).toBe(english);
});

test('writes decimals as the language does, in Latin digits', () => {
  const written = ['en', 'de', 'ar', 'hi'].map((code) => decimal(1.3, 1, turnWordsIn(code)));
  expect(written).toEqual(['1.3', '1,3', '1.3', '1.3']);
});

/** Numbers and names that tell each parameter apart. */
const given = [41, 42, 43, 44];

/** All texts of a language by name, with what is given filled in. */
function textsOf(words: object, path = ''): readonly (readonly [string, string])[] {
  return Object.entries(words).flatMap(([name, value]) => {
    if (typeof value === 'function') return [[path + name, String(value(...given))]];
    if (typeof value === 'string') return [[path + name, value]];
    return textsOf(value, `${path}${name}.`);
  });
}

const inEnglish = new Map(textsOf(english));
/** A reason that has no words of its own is left out. */
const translated = languages.filter((words) => words !== english);
const loanwords = new Set(['Consensus', 'Verdict', 'Stop', 'Details']);

test.each(translated.map((words) => [words.locale, words] as const))(
  'says everything in %s, and nothing in English',
  (_, words) => {
    for (const [name, text] of textsOf(words)) {
      if (name !== 'frequent') expect([name, text.trim()]).not.toEqual([name, '']);
      if (!loanwords.has(text) && /[a-z]{3}/i.test(text)) {
        expect([name, text]).not.toEqual([name, inEnglish.get(name)]);
      }
      for (const value of given) {
        const isMeant = inEnglish.get(name)?.includes(String(value)) ?? false;
        expect([name, value, text.includes(String(value))]).toEqual([name, value, isMeant]);
      }
    }
  },
);

test.each(languages.map((words) => [words.locale, words] as const))(
  'the labels in %s fit the platforms’ buttons',
  (_, words) => {
    const { stop, readCouncil, readVerdict, receipt, reviews, whySages, deeper, post } = words;
    const labels = [stop, readCouncil, readVerdict, receipt, reviews, whySages, deeper, post];
    // Longer ones are cut in a row of five on a phone.
    for (const label of [...labels, words.good, words.bad]) expect(label.length).toBeLessThan(30);
  },
);
