import { describe, expect, test } from 'vitest';
import { addressedSage } from '../../src/council/addressing.ts';
import type { Sage } from '../../src/domain/turn.ts';
import { writtenMention } from '../../src/platforms/chat/text/visible-text.ts';

const bench: readonly Sage[] = (
  [
    ['nassim_taleb', 'Nassim Taleb'],
    ['marcus_aurelius', 'Marcus Aurelius'],
    ['devils_advocate', "Devil's Advocate"],
    ['user_advocate', 'User Advocate'],
  ] as const
).map(([key, name]) => ({ key, name, description: '', source: 'predefined' }));

describe('a question that begins with a name', () => {
  test.each([
    ['Taleb: what would break this?', 'nassim_taleb'],
    ['  nassim taleb : and now?', 'nassim_taleb'],
    ['@Taleb: why?', 'nassim_taleb'],
    ['**Marcus:** why?', 'marcus_aurelius'],
    ['marcus_aurelius: why?', 'marcus_aurelius'],
    ["Devil's Advocate: attack this", 'devils_advocate'],
    ['Taleb：为什么？', 'nassim_taleb'],
    ['Taleb, what would break this?', 'nassim_taleb'],
    ['taleb, and you', 'nassim_taleb'],
    ['hey Taleb, why?', 'nassim_taleb'],
    ['Bonjour Taleb, pourquoi ?', 'nassim_taleb'],
    ['Привет Taleb, почему?', 'nassim_taleb'],
    ['merhaba Taleb, neden?', 'nassim_taleb'],
    ['Taleb Bey, neden?', 'nassim_taleb'],
    ['Taleb जी, क्यों?', 'nassim_taleb'],
    ['Taleb-san: why?', 'nassim_taleb'],
    ['Marcus Aurelius, why?', 'marcus_aurelius'],
    ['@taleb what would break this?', 'nassim_taleb'],
    ['@taleb hi', 'nassim_taleb'],
    ['@marcus aurelius why?', 'marcus_aurelius'],
    ['@Marcus_Aurelius why?', 'marcus_aurelius'],
    ["@devil's advocate attack this", 'devils_advocate'],
    ['what would break this, @taleb?', 'nassim_taleb'],
    ['and what does @taleb say', 'nassim_taleb'],
  ])('%j is for one sage', (text, key) => {
    expect(addressedSage(text, bench)?.key).toBe(key);
  });

  test.each([
    ['चाणक्य: अब क्या?', 'चाणक्य'],
    ['@चाणक्य अब क्या?', 'चाणक्य'],
    ['พระพุทธเจ้า: ทำไม', 'พระพุทธเจ้า'],
    ['ابن سينا، ما رأيك؟', 'ابن سينا'],
    ['İbni Sina: neden?', 'İbni Sina'],
    ['ibni sina, neden?', 'İbni Sina'],
    ['IŞIK HOCA: neden?', 'Işık Hoca'],
    ['Sócrates: por quê?'.normalize('NFD'), 'Sócrates'],
    ['孔子さん、どう思いますか', '孔子'],
    ['@孔子先生 どう思いますか', '孔子'],
    ['마르쿠스 아우렐리우스님, 왜요?', '마르쿠스 아우렐리우스'],
    ['マルクス・アウレリウス、なぜ？', 'マルクス・アウレリウス'],
    ['アウレリウスさん：なぜ？', 'マルクス・アウレリウス'],
    ['ｱｳﾚﾘｳｽ、なぜ？', 'マルクス・アウレリウス'],
  ])('in any script, %j is for one sage', (text, name) => {
    const names = ['चाणक्य', 'พระพุทธเจ้า', 'ابن سينا', 'İbni Sina', 'Işık Hoca', 'Sócrates', '孔子'];
    const others = ['마르쿠스 아우렐리우스', 'マルクス・アウレリウス'];
    const seated = [...names, ...others].map((one): Sage => {
      return { key: `custom_${one.length}`, name: one, description: '', source: 'custom' };
    });
    expect(addressedSage(text, seated)?.name).toBe(name);
  });

  test.each([
    ['Devil’s Advocate: attack this', "Devil's Advocate"],
    ['@devil’s advocate attack this', "Devil's Advocate"],
    ["D'Artagnan, may we?", 'D’Artagnan LL.M.'],
    ['St. Francis: why?', 'St. Francis 🕊️'],
    ['Müller: what does it cost?', 'Frau Müller-Lüdenscheidt'],
    ['Muller, what does it cost?', 'Frau Müller-Lüdenscheidt'],
    ['Zoe: why?', 'Zoë'],
    ['Mia: why?', 'Mia (9)'],
  ])('as people type it, %j is for one sage', (text, name) => {
    const names = [
      'D’Artagnan LL.M.',
      'St. Francis 🕊️',
      'Frau Müller-Lüdenscheidt',
      'Zoë',
      'Mia (9)',
    ];
    const seated = names.map((one, index): Sage => {
      return { key: `sage_${index}`, name: one, description: '', source: 'predefined' };
    });
    expect(addressedSage(text, [...bench, ...seated])?.name).toBe(name);
  });

  test.each([
    ['names nobody of the bench', 'Socrates: why?'],
    ['fits several', 'Advocate: why?'],
    ['has the name elsewhere', 'What would Taleb: say?'],
    ['asks nothing', 'Taleb:'],
    ['is an address on the web', 'https://example.org/taleb: broken'],
    ['is a time', '10:30 or 11:00?'],
    ['only speaks of a sage', 'Taleb would say no, I think'],
    ['names several', 'what say @taleb and @marcus?'],
    ['is for somebody else who is not of the bench', '@bob what did @taleb mean?'],
    ['has an address for mail', 'write to me@taleb.com, please'],
    ['mentions a person of that name', `what does ${writtenMention('Taleb')} say?`],
    ['begins with a person of that name', `${writtenMention('Taleb')}, what now?`],
  ])('is for the whole council when it %s', (_case, text) => {
    expect(addressedSage(text, bench)).toBeUndefined();
  });

  test('a call to all people addresses no sage, whatever a sage is called', () => {
    const all: Sage = {
      key: 'all',
      name: 'Here for Everyone',
      description: '',
      source: 'predefined',
    };
    for (const text of ['@everyone who is in?', 'Lunch, @here?']) {
      expect(addressedSage(text, [all])).toBeUndefined();
    }
    expect(addressedSage('Everyone: who is in?', [all])).toBe(all);
  });

  test('takes no longer for a text without a colon than for any other', () => {
    expect(addressedSage(`${'a '.repeat(50_000)}`, bench)).toBeUndefined();
  });
});
