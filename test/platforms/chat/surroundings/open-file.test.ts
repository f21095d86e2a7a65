import { expect, test } from 'vitest';
import { openFile } from '../../../../src/platforms/chat/surroundings.ts';
import { serve } from '../../../fakes/loopback.ts';

const { signal } = new AbortController();
const secret = { authorization: 'Bearer secret' };

test('a redirect within the platform is followed with the token, one out of it is not', async () => {
  const outside = await serve((_, response) => response.end('stolen'));
  const own = await serve((request, response) => {
    const location = { '/in': '/file', '/out': outside.origin }[request.url ?? ''];
    if (location === undefined) response.end('text');
    else response.writeHead(302, { location }).end();
  });
  const keeper = { origins: [own.origin], headers: secret, whyElsewhere: 'it is elsewhere' };
  expect(await openFile(`${own.origin}/in`, keeper, signal)).toMatchObject({ status: 'open' });
  const sent = own.asked.map(({ headers }) => headers.authorization);
  expect(sent).toEqual(['Bearer secret', 'Bearer secret']);
  const refused = { status: 'withheld', why: 'it is elsewhere' };
  expect(await openFile(`${own.origin}/out`, keeper, signal)).toEqual(refused);
  expect(await openFile(outside.origin, keeper, signal)).toEqual(refused);
  expect(outside.asked).toEqual([]);
});

test('a file that is gone, and redirects without end, are told', async () => {
  const own = await serve((request, response) => {
    if (request.url === '/gone') response.writeHead(404).end();
    else response.writeHead(302, { location: '/again' }).end();
  });
  const keeper = { origins: [own.origin], whyElsewhere: 'it is elsewhere' };
  expect(await openFile(`${own.origin}/gone`, keeper, signal)).toEqual({
    status: 'withheld',
    why: 'it no longer exists',
  });
  expect(await openFile(`${own.origin}/again`, keeper, signal)).toEqual({
    status: 'withheld',
    why: 'it is elsewhere',
  });
});
