/** Handles `/council` and “Ask the council”. */

import type { ViewOutput } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import type { Person, Place, Reply } from '../../../../commands/command.ts';
import { askSchema } from '../../../domain/asking.ts';
import type { HeardMessage } from '../../../domain/heard.ts';
import { postedInThread, wordlessMessage } from '../../chat/asking/asking-words.ts';
import { aboutForm, summonForm } from '../../chat/forms.ts';
import { heardAlone, questionAbout, wordlessQuestion } from '../../chat/surroundings.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import { readSpokenLine } from '../../chat/text/spoken-line.ts';
import type { Form } from '../action-id.ts';
import {
  addressOf,
  type ChannelScene,
  placeOf,
  placeOfScene,
  readThreadId,
  sceneOf,
  spotOfScene,
} from '../place.ts';
import { toHeardMessage } from '../surroundings/hear.ts';
import type { Said } from '../surroundings/said-message.ts';
import { answerIn, deliverIn, failureWords, type PrivateAnswer, showReply } from './answers.ts';
import type { VisibleQuestions } from './ask-by-command.ts';
import {
  type Modal,
  openModal,
  replyModal,
  sayingModal,
  typedIn,
  typingModal,
  updateModal,
} from './modals.ts';
import type { IngressContext } from './readers.ts';
import { openSettings } from './settings-dialogue.ts';

export interface CommandsOptions extends IngressContext {
  readonly commands: readonly KnownCommand[];
  readonly asking: VisibleQuestions;
  /** Returns a notice for a workspace's managers, once. */
  readonly noticeFor: (team: string) => string | undefined;
}

/** Slack accepts answers to a shortcut for as long. */
const modalLivesMs = 30 * 60_000;

/** A `/council` command. */
export interface CommandInput {
  readonly scene: ChannelScene;
  readonly text: string;
  readonly triggerId: string;
  readonly answer: PrivateAnswer;
}

/** An “Ask the council” on a message. */
export interface AboutInput extends Omit<CommandInput, 'text'> {
  readonly said: Said;
}

type AboutForm = Extract<Form, { kind: 'about' }>;
type SummonForm = Extract<Form, { kind: 'summon' }>;

/** Commands about a thread's last turn. Slack has no commands in threads, so it is the person's last turn. */
const aboutThread: ReadonlySet<string> = new Set([
  'stop',
  'receipt',
  'reviews',
  'feedback',
  'minutes',
  'export',
  'memory',
]);

export class Commands {
  readonly #options: CommandsOptions;
  /** Messages whose modal is open, by workspace, person and message. */
  readonly #askedAbout = new LRUCache<
    string,
    { readonly heard: HeardMessage; readonly answer: PrivateAnswer }
  >({ max: 1000, ttl: modalLivesMs });

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** Throws what Slack and the store throw. */
  async slash(input: CommandInput): Promise<void> {
    const { scene, text, triggerId, answer } = input;
    const { asking, people, api } = this.#options;
    const line = readSpokenLine(text, this.#options.commands);
    if (line.status === 'mistaken') return answer.say(line.message);
    const { command, options } = line;
    const isBare = Object.keys(options).length === 0;
    // Opened before any lookup, because Slack allows only 3 s.
    if (isBare && command === 'summon') {
      const form = { kind: 'summon', ...spotOfScene(scene) } as const;
      await openModal(api, scene.team, triggerId, typingModal(summonForm, form));
      return;
    }
    const isForm = isBare && command === 'config';
    if (isForm) await openSettings(scene, triggerId, 'channel', this.#options);
    const asked = command === 'ask' ? askSchema.safeParse(options).data : undefined;
    // Asking needs no rights, so no lookup slows it when many ask at once.
    if (asked) {
      const question = await people.plain(scene.team, asked.question, undefined);
      return asking.ask(scene, { ...asked, question, eventId: triggerId }, answer);
    }
    const person = await people.personIn(scene);
    if (!isForm) await this.#run(scene, person, command, options, answer);
    await this.#notice(scene, person, answer);
  }

  /** Throws what Slack and the store throw. */
  async askAbout({ scene, said, triggerId, answer }: AboutInput): Promise<void> {
    const { people, asking, api } = this.#options;
    const { team, channel, userId } = scene;
    const heard = await toHeardMessage(said, scene, people);
    if (heard.text === '' && !heard.sources) return answer.say(wordlessMessage);
    if (said.user !== userId) {
      this.#askedAbout.set(`${team} ${userId} ${heard.id}`, { heard, answer });
      const { thread = said.ts } = scene;
      const form = { kind: 'about', team, channel, thread, message: heard.id } as const;
      await openModal(api, team, triggerId, typingModal(aboutForm, form));
      return;
    }
    const question = heard.text || wordlessQuestion;
    await asking.ask(scene, { question, eventId: triggerId, hears: 'thread' }, answer);
  }

  /** Asks the question that was typed about a message. Throws what Slack and the store throw. */
  async askTyped(view: ViewOutput, form: AboutForm, userId: string): Promise<void> {
    const { asking, api } = this.#options;
    const [{ name: field }] = aboutForm.inputs;
    const scene = sceneOf(form, userId);
    const { threadId } = placeOf(form);
    const { heard, answer = answerIn(api, scene) } =
      this.#askedAbout.get(`${form.team} ${userId} ${form.message}`) ?? {};
    await asking.ask(
      scene,
      {
        question: questionAbout(
          heard?.author.name ?? 'someone',
          typedIn(view)[field] ?? '',
          addressOf(threadId),
        ),
        ...{ eventId: view.id, hears: 'thread', repliesTo: form.message },
        ...(heard && { heard: heardAlone(heard, threadId, 'thread') }),
      },
      answer,
    );
  }

  /** Drafts a sage and shows it in the modal; if that is closed, in the conversation. */
  async draftSage(view: ViewOutput, form: SummonForm, userId: string): Promise<void> {
    const { ingress, people, api } = this.#options;
    const scene = sceneOf(form, userId);
    const show = async (modal: Modal, elsewhere: (answer: PrivateAnswer) => Promise<void>) => {
      const isSeen = await updateModal(api, scene.team, view.id, modal);
      if (!isSeen) await elsewhere(answerIn(api, scene));
    };
    try {
      const person = await people.personIn(scene);
      const place = placeOfScene(scene);
      const options = typedIn(view);
      const reply = await ingress.command({ place, person, command: 'summon', options });
      await show(replyModal(summonForm.title, reply, form), (answer) => answer.show(reply));
    } catch (error) {
      const words = failureWords(error);
      await show(sayingModal(summonForm.title, words, form), (answer) => answer.say(words));
      throw error;
    }
  }

  async #run(
    scene: ChannelScene,
    person: Person,
    command: string,
    options: Readonly<Record<string, unknown>>,
    answer: PrivateAnswer,
  ): Promise<void> {
    const { ingress } = this.#options;
    const isAboutThread = aboutThread.has(command) && options.turn === undefined;
    const place = isAboutThread
      ? await this.#lastPlace(scene, command === 'stop')
      : await this.#options.readers.placeOfScene(scene);
    const reply = await ingress.command({ place, person, command, options });
    if (!reply.isPrivate) return this.#post(place, reply, answer);
    await answer.show(reply);
  }

  /** Posts a public reply in the thread that it is about. */
  async #post({ threadId }: Place, reply: Reply, answer: PrivateAnswer): Promise<void> {
    await showReply(reply, deliverIn(this.#options.api, readThreadId(threadId)));
    await answer.say(postedInThread);
  }

  /** Finds the thread of the person's last question in this channel; without one, the channel. */
  async #lastPlace(scene: ChannelScene, onlyOpen: boolean) {
    const { ingress, readers } = this.#options;
    const here = await readers.placeOfScene(scene);
    const { recent } = await ingress.overview(here, scene.userId);
    const inChannel = `${here.platform}:${here.workspace}:${here.channel}:`;
    const last = recent.find(
      ({ threadId, outcome }) =>
        threadId.startsWith(inChannel) && (!onlyOpen || outcome === undefined),
    );
    return last ? { ...here, threadId: last.threadId } : here;
  }

  /** Privately notifies a manager of missing permissions. */
  async #notice({ team }: ChannelScene, person: Person, answer: PrivateAnswer): Promise<void> {
    const notice = person.isServerManager ? this.#options.noticeFor(team) : undefined;
    if (notice !== undefined) await answer.say(notice);
  }
}
