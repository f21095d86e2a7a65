import { describe, expect, test } from 'vitest';
import { datesIn, fits } from '../../../../src/memory/recall/retrieval/dates.ts';
import { loadLanguage } from '../../../../src/memory/recall/retrieval/language.ts';

const day = (text: string) => Date.parse(`${text}T12:00:00Z`);

describe('the dates that a question names', () => {
  test.each([
    ['english', 'in May', [{ month: 5 }]],
    ['english', 'on May 4th, 2025', [{ year: 2025, month: 5, day: 4 }]],
    ['english', 'on the 4th of May', [{ month: 5, day: 4 }]],
    ['english', 'in May, and on 4 March 2025', [{ month: 5 }, { year: 2025, month: 3, day: 4 }]],
    ['english', 'on 3/4/2025', [{ year: 2025, month: 3, day: 4 }]],
    ['german', 'am 3.4.2025', [{ year: 2025, month: 4, day: 3 }]],
    ['german', 'im März und am 2. Juni', [{ month: 3 }, { month: 6, day: 2 }]],
    ['spanish', 'el 4 de mayo de 2025', [{ year: 2025, month: 5, day: 4 }]],
    ['russian', 'в марте 2024', [{ year: 2024, month: 3 }]],
    ['japanese', '2024年4月8日に', [{ year: 2024, month: 4, day: 8 }]],
    ['chinese', '十二月决定了什么', [{ month: 12 }]],
    ['none', 'in July, or 2025-06', [{ year: 2025, month: 6 }, { month: 7 }]],
    ['english', 'in 2024', [{ year: 2024 }]],
  ])('in %s: %s', async (name, text, dates) => {
    expect(datesIn(text, await loadLanguage(name))).toEqual(dates);
  });

  test.each(['May I ask?', 'What may I ask?', '300 people in 12 rooms', 'version 1.2.3'])(
    'are none in: %s',
    async (text) => {
      expect(datesIn(text, await loadLanguage('english'))).toEqual([]);
    },
  );

  test('fit the day, the month by half, and no other year', () => {
    const named = { year: 2025, month: 5, day: 4 };
    const others = ['2025-05-04', '2025-05-05', '2025-06-04', '2024-05-04'];
    expect(others.map((text) => fits(named, day(text)))).toEqual([1, 0.5, 0, 0]);
    expect(fits({ month: 5 }, day('2023-05-31'))).toBe(1);
  });
});
