/** `/council` and “Ask the council”. */

import type { Place, Reply } from '../../../../commands/command.ts';
import { askSchema } from '../../../domain/asking.ts';
import { postedInThread, wordlessMessage } from '../../chat/asking/asking-words.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import { readSpokenLine } from '../../chat/text/spoken-line.ts';
import { readThreadId } from '../thread-id.ts';
import { deliverIn, type PrivateAnswer, showReply } from './answers.ts';
import type { VisibleQuestions } from './ask-by-command.ts';
import { type KnownPerson, withDoubt } from './people.ts';
import { peopleIn, plainQuestion } from './question-text.ts';
import type { ChannelScene } from './scene.ts';
import type { DialogueOptions, SettingsDialogue } from './settings-dialogue.ts';
import { openSummon } from './summon-dialogue.ts';

export interface CommandsOptions extends DialogueOptions {
  readonly commands: readonly KnownCommand[];
  readonly asking: VisibleQuestions;
  readonly settings: SettingsDialogue;
  /** What those who manage a workspace are to be told, once; absent: nothing. */
  readonly noticeFor: (team: string) => string | undefined;
}

/** What `/council` was given, or a message that the council is asked about. */
export interface CommandInput {
  readonly scene: ChannelScene;
  readonly text: string;
  readonly triggerId: string;
  readonly answer: PrivateAnswer;
}

/** Commands about the last turn of a thread. Slack has none inside threads, so it is found by who asks. */
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

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** Throws what Slack and the store throw. */
  async slash(input: CommandInput): Promise<void> {
    const { scene, text, triggerId, answer } = input;
    const { asking, settings, people } = this.#options;
    const line = readSpokenLine(text, this.#options.commands);
    if (line.status === 'mistaken') return answer.say(line.message);
    const { command, options } = line;
    const isBare = Object.keys(options).length === 0;
    // Opened before anything is looked up: Slack gives 3 s for it.
    if (isBare && command === 'summon') return openSummon(this.#options, scene, triggerId);
    const isForm = isBare && command === 'config';
    if (isForm) await settings.open(scene, triggerId, 'channel');
    const asked = command === 'ask' ? askSchema.safeParse(options).data : undefined;
    // Many may ask at once, and asking needs no right.
    if (asked) {
      const question = await this.#plain(scene.team, asked.question);
      return asking.ask(scene, { ...asked, question, eventId: triggerId }, answer);
    }
    const person = await people.personIn(scene);
    // The command itself knows best what is wrong with what it was given.
    if (!isForm) await this.#run(scene, person, command, options, answer);
    await this.#notice(scene, person, answer);
  }

  /** Throws what Slack and the store throw. */
  async askAbout({ scene, text, triggerId, answer }: CommandInput): Promise<void> {
    const question = await this.#plain(scene.team, text);
    if (question === '') {
      return answer.say(wordlessMessage);
    }
    await this.#options.asking.ask(scene, { question, eventId: triggerId }, answer);
  }

  async #run(
    scene: ChannelScene,
    person: KnownPerson,
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
    await answer.show(command === 'config' ? withDoubt(reply, person) : reply);
  }

  /** Posts what is for everybody in the thread that it is about. */
  async #post({ threadId }: Place, reply: Reply, answer: PrivateAnswer): Promise<void> {
    await showReply(reply, deliverIn(this.#options.api, readThreadId(threadId)));
    await answer.say(postedInThread);
  }

  /** The thread in which the person asked last in this channel; where there is none, the channel. */
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

  /** Tells a manager in private what is lacking. */
  async #notice({ team }: ChannelScene, person: KnownPerson, answer: PrivateAnswer): Promise<void> {
    const notice = person.isServerManager ? this.#options.noticeFor(team) : undefined;
    if (notice !== undefined) await answer.say(notice);
  }

  async #plain(team: string, text: string): Promise<string> {
    const names = await this.#options.people.namesOf(team, peopleIn(text, undefined));
    return plainQuestion(text, undefined, names);
  }
}
