import { startSlack } from '../fakes/slack/slack.ts';
import { answersIn, type Crowd, drawFault, type Seat, type SeenPost } from './crowd.ts';
import { comesToHold } from './waiting.ts';

/** In the last state of a progress message. */
const closed = 'The council has answered.';

/** @param threads - How many people there are, each in a channel of their own, with one thread in it. */
export async function startSlackCrowd(threads: number): Promise<Crowd> {
  const slack = await startSlack({ retryDelaysMs: [1000, 2000, 4000, 8000, 16_000] });
  const { botToken } = slack.installation();

  async function seatIn(index: number): Promise<Seat> {
    const member = slack.addMember(`Member ${index}`);
    const channel = await slack.addChannel(`channel-${index}`, { creator: member });
    let thread: string | undefined;
    return {
      thread: `slack ${index}`,
      ask: async (text) => {
        const find = () =>
          slack.messages(channel).find((message) => !message.isApp && message.text.includes(text))
            ?.ts;
        // Slack keeps telling of it until someone has heard it; that is not waited for here.
        const telling = member.mentions(channel, text, thread === undefined ? {} : { thread });
        telling.catch(() => undefined);
        if (!(await comesToHold(async () => find() !== undefined, 10_000))) {
          throw new Error(`“${text}” is not in Slack.`);
        }
        const ts = find() ?? '';
        thread ??= ts;
        return {
          eventId: `slack:${slack.workspace.id}:${channel.id}:${ts}`,
          threadId: `slack:${slack.workspace.id}:${channel.id}:${thread}`,
          patienceMs: 60_000,
          tellings: () =>
            slack.events.all
              .filter(({ payload }) => tsIn(payload) === ts)
              .flatMap(({ attempts }) => attempts),
        };
      },
      posts: () =>
        thread === undefined
          ? []
          : slack
              .thread(channel, thread)
              .filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined)
              .flatMap(({ text, metadata }): readonly SeenPost[] => {
                const { part, turn_id: turnId } = metadata?.event_payload ?? {};
                if (part !== 'progress' || typeof turnId !== 'string') return answersIn(text);
                const isOf = (one: string) => one === turnId;
                return [{ kind: 'card', isOf, isClosed: text.includes(closed) }];
              }),
    };
  }

  const seats: Seat[] = [];
  for (let index = 0; index < threads; index += 1) seats.push(await seatIn(index));
  return {
    seats,
    environment: { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: slack.app.appToken },
    settings: { slack: { apiUrl: slack.api } },
    spoil(random, share, onSpoiled) {
      slack.faults.decide(({ method }) => {
        const isPost = method === 'chat.postMessage' || method === 'chat.startStream';
        const fault = isPost ? drawFault(random, share) : undefined;
        if (fault) onSpoiled(fault.kind);
        return fault;
      });
    },
    violations: () => slack.violations.all.map((one) => JSON.stringify(one)),
    close: () => slack.close(),
  };
}

/** The message that an event is about. */
function tsIn({ event }: Readonly<Record<string, unknown>>): unknown {
  return typeof event === 'object' && event !== null && 'ts' in event ? event.ts : undefined;
}
