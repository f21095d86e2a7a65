import { startSlack } from '../fakes/slack/slack.ts';
import { type Crowd, drawFault, type Seat } from './crowd.ts';
import { comesToHold } from './waiting.ts';

/** In the last state of a progress message. */
const ended = 'The council has answered.';

/** @param threads - How many people there are, each in a channel of their own, with one thread in it. */
export async function startSlackCrowd(threads: number): Promise<Crowd> {
  const slack = await startSlack({ retryDelaysMs: [1000, 2000, 4000, 8000, 16_000] });
  const { botToken } = slack.installation();

  async function seatIn(index: number): Promise<Seat> {
    const member = slack.addMember(`Member ${index}`);
    const channel = await slack.addChannel(`channel-${index}`, { creator: member });
    let thread: string | undefined;
    const posts = () =>
      thread === undefined
        ? []
        : slack
            .thread(channel, thread)
            .filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined);
    return {
      ask: async (text) => {
        const latest = () =>
          slack
            .messages(channel)
            .findLast((message) => !message.isApp && message.text.includes(text))?.ts;
        // Nobody may have heard it when it was asked before.
        const before = latest();
        // Slack keeps telling of it until somebody has heard it; that is not waited for here.
        const telling = member.mentions(channel, text, thread === undefined ? {} : { thread });
        telling.catch(() => undefined);
        if (!(await comesToHold(async () => latest() !== before, 10_000))) {
          throw new Error(`“${text}” is not in Slack.`);
        }
        const ts = latest() ?? '';
        thread ??= ts;
        return `slack:${slack.workspace.id}:${channel.id}:${ts}`;
      },
      patienceMs: 90_000,
      said: () =>
        posts()
          .map(({ text }) => text)
          .filter((text) => !isProgress(text)),
      cards: () => {
        const cards = posts().filter(({ text }) => isProgress(text));
        return {
          all: cards.length,
          ended: cards.filter(({ text }) => text.includes(ended)).length,
        };
      },
    };
  }

  const seats: Seat[] = [];
  for (let index = 0; index < threads; index += 1) seats.push(await seatIn(index));
  return {
    seats,
    environment: { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: slack.app.appToken },
    settings: { slack: { apiUrl: slack.api } },
    spoil(random, share) {
      slack.onCall(({ method }) => {
        if (method !== 'chat.postMessage' || random.next() >= share) return;
        slack.faults.plan('chat.postMessage', drawFault(random));
      });
    },
    violations: () => slack.violations.all.map((one) => JSON.stringify(one)),
    close: () => slack.close(),
  };
}

function isProgress(text: string): boolean {
  return !/ on #\d+\./.test(text) || text.includes(ended);
}
