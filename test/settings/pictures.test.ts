import { expect, test } from 'vitest';
import { load, mistakesIn } from './config-folder.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const ada = { 'config/sages/ada.md': '---\nname: Ada\ndescription: Sees the engine.\n---\n' };

test('a picture beside a sage’s file is its face, whatever kind it is', () => {
  const { pictures } = load({ ...ada, 'config/sages/ada.png': png, 'config/sages/.ada.gif': png });
  expect([...pictures]).toEqual([['ada', png]]);
  // Cameras and Windows write the ending so.
  expect([...load({ ...ada, 'config/sages/ada.PNG': png }).pictures]).toEqual([['ada', png]]);
});

test('what is no picture, or too large for one, is refused', () => {
  const files = {
    ...ada,
    'config/sages/ada.png': '<svg onload="alert(1)"/>',
    'config/sages/ben.webp': Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(300 * 1024)]),
  };
  expect(mistakesIn(files)).toEqual([
    'config/sages/ada.png is not a picture. Save it as PNG, JPEG, GIF or WebP',
    'config/sages/ben.webp has 301 KB. The limit is 256 KB: save it smaller, e.g. 128 pixels wide and high',
  ]);
});
