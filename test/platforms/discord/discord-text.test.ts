import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from '../../../src/platforms/chat/text/visible-text.ts';
import { hidesWords, inertDiscordText } from '../../../src/platforms/discord/discord-text.ts';
import { webhookName } from '../../../src/platforms/discord/presenter/persona.ts';
import { wildText } from '../chat/text/wild-text.ts';

/** With what has no width made visible. */
function inert(text: string): string {
  return inertDiscordText(text).replaceAll('\u200b', '␣');
}

describe('text for Discord', () => {
  it.each([
    ['everybody', '@everyone and @here', '@␣everyone and @␣here'],
    ['people', '<@1234> <@!1234>', '<@␣1234> <@␣!1234>'],
    ['a role', '<@&1234>', '<@␣&1234>'],
    ['a command', '</council ask:1234>', '<␣/council ask:1234>'],
    ['a place of the server', '<id:customize>', '<␣id:customize>'],
    ['people by hidden signs', '<\u2060@1234> @\u200beveryone', '<@␣1234> @␣everyone'],
  ])('mentions no one: %s', (_who, text, expected) => {
    expect(inert(text)).toBe(expected);
  });

  it('keeps channels, emoji, times and addresses of mail', () => {
    const text = '<#12> <:yes:12> <t:12:R> me@here.example a < b';
    expect(inert(text.replace('@here', '@there'))).toBe(text.replace('@here', '@there'));
  });

  it('leaves code as it was', () => {
    const text = 'Use `@here`:\n```java\n@everyone [a](b)\n```\n> ```\n> @here\n> ```';
    expect(inert(text)).toBe(text);
  });

  it.each([
    ['code in a line', '`a\n[bank.com](https://evil.example)`'],
    ['code in a quote', '> `a\n[bank.com](https://evil.example)`'],
    ['a block in a quote', '> ```\n[bank.com](https://evil.example)\n```'],
    ['a block in a quote’s line', '> a ```\n[bank.com](https://evil.example)\n```'],
    ['a block in an item', '- ```\n[bank.com](https://evil.example)\n```'],
    ['a block in a heading', '# ```\n[bank.com](https://evil.example)\n```'],
    ['several', '> ```\n```\na\n```\n[bank.com](https://evil.example)\n```'],
  ])('takes for no code what is past the end of what it began in: %s', (_what, text) => {
    expect(inert(text)).toBe(text.replace('bank.com]', 'bank.com (evil.example)]'));
  });

  it('takes for code a block that stays in its item or its quote', () => {
    const text = '- ```\n  [a](https://b.example)\n  ```\n\n> a ```\n> @here\n> ```';
    expect(inert(text)).toBe(text);
  });

  it('takes for code only what Discord takes for code', () => {
    expect(inert('\\`@here\\`')).toContain('@␣here');
    expect(inert('` @here')).toContain('@␣here');
    expect(inert('`a ``` b` @here ```')).toContain('@␣here');
    expect(inert('~~~\n@here\n~~~')).toContain('@␣here');
  });

  it.each([
    ['[bank.com](https://evil.example/x)', '[bank.com (evil.example)](https://evil.example/x)'],
    ['[bank.com](<https://evil.example>)', '[bank.com (evil.example)](<https://evil.example>)'],
    [
      '[bank.com](\nhttps://evil.example:8443/)',
      '[bank.com (evil.example:8443)](\nhttps://evil.example:8443/)',
    ],
    ['[bänk](https://bänk.example/)', '[bänk (xn--bnk-qla.example)](https://bänk.example/)'],
    [
      '[a.example](https://b.example/a.example)',
      '[a.example (b.example)](https://b.example/a.example)',
    ],
  ])('shows where a link leads: %s', (text, expected) => {
    expect(inert(text)).toBe(expected);
  });

  it.each(['[bank.com](https://bank.com)', '[https://bank.com/a?b](https://bank.com/a?b)'])(
    'does not repeat an address that is shown: %s',
    (text) => {
      expect(inert(text)).toBe(text);
    },
  );

  it.each([
    '[bank.com](https://bank.com@evil.example/)',
    '[bank.com](https\\://evil.example/)',
    '[bank.com](https://bank.com\\@evil.example/)',
    '[bank.com](discord://evil)',
  ])('takes the life out of a link whose host cannot be read: %s', (text) => {
    expect(inert(text)).toBe(text.replace('](', ']␣('));
  });

  it('holds nothing live outside of code, and is left as it is the second time', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        const made = inertDiscordText(text);
        expect(inertDiscordText(made)).toBe(made);
        if (text.includes('`')) return;
        expect(made).not.toMatch(/@everyone|@here|<@[!&]?\d|<\/[^\n>]+:\d|<id:/);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads as it was written', () => {
    fc.assert(
      fc.property(wildText, (text) => {
        if (text.includes('](')) return;
        expect(inertDiscordText(text).replaceAll('\u200b', '')).toBe(visibleText(text));
      }),
    );
  });

  it.each([
    ['backticks', '`'.repeat(100_000)],
    ['escaped fences', '\\```'.repeat(25_000)],
    ['links that go nowhere', ']('.repeat(50_000)],
    ['accents', 'e\u0301'.repeat(50_000)],
  ])('is made of 100,000 characters in one go: %s', (_what, text) => {
    expect(inertDiscordText(text).length).toBeGreaterThanOrEqual(text.length);
  });
});

it.each([
  ['Is it right that ||he|\ndies||?', true],
  ['Is it right that ||`he` dies||?', true],
  ['Is `a || b || c` the same?', false],
  ['Why is this true?\n```ts\nif (a || b) c ||= d;\n```', false],
  ['Is `a || b` or `a` || b better?', false],
  ['a || b', false],
])('%j hides words: %s', (question, isHidden) => {
  expect(hidesWords(question)).toBe(isHidden);
});

describe('a name for a webhook', () => {
  it.each([
    ['Nassim Taleb', 'Nassim Taleb'],
    ['Nietzsche: a mind\nof its own', 'Nietzsche: a mind of its own'],
    ['Clyde', 'Cl·yde'],
    ['the DISCORD\u200b team', 'the DIS·CORD team'],
    ['dis\u00adcord', 'dis·cord'],
    ['Here', 'He·re'],
    ['everyone', 'every·one'],
    ['Everyone who was here', 'Everyone who was here'],
    ['\u3164\u2800', 'Sage'],
    [`${'x'.repeat(79)}👩‍🚀`, 'x'.repeat(79)],
  ])('%j is %j', (name, expected) => {
    expect(webhookName(name, 'Sage')).toBe(expected);
  });

  it('is one that Discord takes, whatever it is made of', () => {
    const part = fc.oneof(wildText, fc.constantFrom('clyde', 'Discord', 'dis', 'cord', ' '));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const name = webhookName(parts.join(''), 'Sage');
        expect(name).not.toMatch(/clyde|discord|\n|^\s|\s$|\s\s/i);
        expect(name.length).toBeGreaterThanOrEqual(1);
        expect(name.length).toBeLessThanOrEqual(80);
      }),
      { numRuns: 2000 },
    );
  });
});
