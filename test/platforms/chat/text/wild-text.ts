/** Text that is rich in what chat platforms and readers are misled by. */

import fc from 'fast-check';

export const wildText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '@everyone',
        '@here',
        '@',
        '<@',
        '<@&',
        '<@!',
        '123',
        '>',
        '<!channel>',
        '</a:1>',
        '<id:home>',
      ),
      fc.constantFrom(
        '\u200b',
        '\u202e',
        '\u200d',
        '\ufe0f',
        '\u0301',
        '\ud83d',
        '👩',
        '🚀',
        'م',
        '\r',
        '\n',
        '\u{e0067}',
      ),
      fc.constantFrom(
        '[bank.com](https://evil.example/x)',
        '](',
        '[',
        'https://a.example',
        ')',
        '<',
        '&',
        '\\',
        '`',
        '```',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));
