/** Frames and requests that are not as Slack documents them: each fails alone, and the bot goes on. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { scopeNames } from '../../../src/platforms/slack/connection/identity.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { hostileRequests, sendBytes } from '../../fakes/hostile-requests.ts';
import { pruned } from '../../fakes/pruned.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { signedHeaders } from '../../fakes/slack/delivery/signature.ts';
import type { Outgoing } from '../../fakes/slack/delivery/transport.ts';
import {
  type CouncilInSlack,
  type CouncilOptions,
  startCouncil,
} from '../../platforms/slack/slack-world.ts';

function start(options: CouncilOptions = {}): Promise<CouncilInSlack> {
  const models = scriptedModels({ sages: { ada: [hang], ben: Array(500).fill(answer('I am.')) } });
  return startCouncil(models, { scopes: scopeNames, ...options });
}

/** Someone asks in a channel that nothing has happened in, and is answered. */
async function expectAnswer({ slack, boss, bot, lines }: CouncilInSlack): Promise<void> {
  const channel = await slack.addChannel('later', { creator: boss });
  const { thread } = await boss.mentions(channel, 'Ben: are you there?');
  await slack.until(
    () => slack.thread(channel, thread).some(({ text }) => text === 'I am.'),
    'an answer',
  );
  await bot.idle();
  expect(lines.join('\n')).not.toContain('Falcon');
}

/** Does one of each thing that people do. */
async function live({ slack, ada, boss, channel, bot }: CouncilInSlack): Promise<void> {
  const { thread } = await ada.mentions(channel, 'Ben: should we tell Falcon?');
  await slack.until(
    () => slack.thread(channel, thread).some(({ text }) => text === 'I am.'),
    'an answer',
  );
  await bot.idle();
  await ada.commands(channel, '/council ask Ada: Falcon?');
  await boss.commands(channel, '/council config');
  await slack.until(() => boss.modal()?.text.includes('Depth') === true, 'the settings');
  await boss.submits({ language: 'Welsh' });
  const stop = () =>
    slack.messages(channel).find(({ blocks }) => JSON.stringify(blocks).includes('council:stop'));
  await slack.until(() => stop() !== undefined, 'a button');
  await ada.presses({ channel, ts: stop()?.ts ?? '' }, 'Stop');
  await ada.opensHome();
  await bot.idle();
}

const event = { type: 'events_api', envelope_id: 'e1', accepts_response_payload: false };
/** By what is wrong with each. */
const oddFrames: Readonly<Record<string, unknown>> = {
  null: null,
  'a number': 5,
  'a text': 'Should we tell Falcon?',
  'a list': [null],
  'an empty object': {},
  'an event without a payload': event,
  'an event with a payload of null': { ...event, payload: null },
  'an event with a payload of words': { ...event, payload: 'Falcon' },
  'a payload whose event is null': { ...event, payload: { type: 'event_callback', event: null } },
  'an event without a type': { ...event, payload: { type: 'event_callback', event: {} } },
  'an event that the library tells itself of': {
    ...event,
    payload: { event: { type: 'ws_message' } },
  },
  'an event that emitters know': { ...event, payload: { event: { type: 'error' } } },
  'a frame that the library tells itself of': { type: 'slack_event', payload: null },
  'a frame of an unknown type': { type: 'Falcon', payload: null },
  'a command of null': { type: 'slash_commands', envelope_id: 'e2', payload: null },
  'a press of null': { type: 'interactive', envelope_id: 'e3', payload: null },
};

describe('over a socket', () => {
  test.each(Object.entries(oddFrames))('%s is survived', async (_, frame) => {
    await using council = await start();
    council.slack.sockets.sendFrame(JSON.stringify(frame));
    await expectAnswer(council);
  });

  test('no JSON is survived', async () => {
    await using council = await start();
    council.slack.sockets.sendFrame('Should we tell Falcon?');
    await expectAnswer(council);
  });

  test('whatever is missing of what people do, it fails alone and the bot goes on', async () => {
    await using council = await start();
    const { slack, platform } = council;
    await live(council);
    const told = firstOfEach(slack.sockets.sent);
    expect(told.map(kindOf)).toEqual(
      expect.arrayContaining(['app_mention', 'message', 'slash_commands', 'block_actions']),
    );
    const odd = told.flatMap(({ kind, payload }) =>
      [...pruned(payload)].map((less) => ({ kind, payload: less, retry: undefined })),
    );
    expect(odd.length).toBeGreaterThan(1000);
    // Not all at once: a bot that is busy for 5 s without a break takes its sockets for lost.
    const waiting = odd.values();
    const lane = async () => {
      for (const one of waiting) await slack.sockets.send(one);
    };
    await Promise.all(Array.from({ length: 100 }, lane));
    await expectAnswer(council);
    expect(platform.health().text).toMatch(/^connected to Slack; \d+ incoming events?/);
  }, 120_000);
});

describe('over requests', () => {
  test.each([
    ['application/json', 'null'],
    ['application/json', '5'],
    ['application/json', '"Should we tell Falcon?"'],
    ['application/json', '[null]'],
    ['application/json', '{}'],
    ['application/json', ''],
    ['application/json', 'Should we tell Falcon?'],
    ['application/json', '{"type":"event_callback","event":null}'],
    ['application/json', '{"type":"url_verification","challenge":null}'],

    ['application/x-www-form-urlencoded', ''],
    ['application/x-www-form-urlencoded', 'payload=null'],
    ['application/x-www-form-urlencoded', 'payload=Falcon'],
    ['application/x-www-form-urlencoded', 'payload=%7B%7D'],
    ['application/x-www-form-urlencoded', 'payload=%'],
    ['application/x-www-form-urlencoded', 'ssl_check=1&payload=null'],
    ['text/plain', 'null'],
    ['multipart/form-data', '--x'],
  ])('a body of %s: %j is survived, signed or not', async (type, body) => {
    await using council = await start({ isOverHttp: true });
    const { slack, platform } = council;
    const { listeningOn } = platform.report();
    const signed = signedHeaders(slack.app.signingSecret, body, Date.now());
    for (const headers of [signed, {}]) {
      const posted = { method: 'POST', body, headers: { ...headers, 'content-type': type } };
      const response = await fetch(`http://127.0.0.1:${listeningOn}/slack/events`, posted);
      await response.body?.cancel();
    }
    await expectAnswer(council);
  });

  test('whatever is missing of what people do, it fails alone and the bot goes on', async () => {
    await using council = await start();
    await live(council);
    const told = firstOfEach(council.slack.sockets.sent);
    await using over = await start({ isOverHttp: true });
    const url = `http://127.0.0.1:${over.platform.report().listeningOn}/slack/events`;
    const bodies = told
      .flatMap(({ payload }) => [...pruned(payload)])
      .map((payload) => JSON.stringify(payload))
      // What Bolt knows no type of is answered after 3 s.
      .filter((_, index) => index % 10 === 0);
    while (bodies.length > 0) {
      await Promise.all(
        bodies.splice(0, 200).map(async (body) => {
          const headers = {
            ...signedHeaders(over.slack.app.signingSecret, body, Date.now()),
            'content-type': 'application/json',
          };
          const response = await fetch(url, { method: 'POST', body, headers });
          await response.body?.cancel();
        }),
      );
    }
    await expectAnswer(over);
  }, 120_000);

  test('requests that no well-behaved client sends are survived', async () => {
    await using council = await start({ isOverHttp: true });
    const { listeningOn = 0 } = council.platform.report();
    const requests = Object.values(hostileRequests).flatMap((bytes) => [
      bytes,
      bytes.replaceAll(' / HTTP', ' /slack/events HTTP'),
    ]);
    await Promise.all(requests.map((bytes) => sendBytes(listeningOn, bytes)));
    await expectAnswer(council);
    expect(council.platform.health().text).toContain('could not be handled');
  });
});

function kindOf({ kind, payload }: Outgoing): string {
  if (kind === 'slash_commands') return kind;
  const { event: told, type } = Object.assign({ event: undefined, type: '' }, payload);
  const { type: name } = Object.assign({ type: String(type) }, told);
  return name;
}

function firstOfEach(sent: readonly Outgoing[]): readonly Outgoing[] {
  return [...new Map(sent.map((one) => [kindOf(one), withFewInputs(one)])).values()];
}

const formSchema = z.looseObject({
  view: z.looseObject({
    blocks: z.array(
      z.looseObject({
        type: z.string(),
        block_id: z.string(),
        element: z.looseObject({ type: z.string() }).optional(),
      }),
    ),
    state: z.looseObject({ values: z.record(z.string(), z.unknown()) }),
  }),
});

/** A form with one input of each kind: its dozens of others are read alike, and would be most of what is sent. */
function withFewInputs({ payload, ...others }: Outgoing): Outgoing {
  const form = formSchema.safeParse(payload).data;
  if (!form) return { payload, ...others };
  const { blocks: all, state } = form.view;
  const kinds = all.toReversed().map((one) => [`${one.type} ${one.element?.type}`, one] as const);
  const blocks = [...new Map(kinds).values()];
  const values = Object.fromEntries(
    Object.entries(state.values).filter(([id]) => blocks.some(({ block_id }) => block_id === id)),
  );
  const view = { ...form.view, blocks, state: { ...state, values } };
  return { payload: { ...form, view }, ...others };
}
