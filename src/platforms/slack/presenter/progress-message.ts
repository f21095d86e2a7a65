/** The one message of a turn that is edited: how far it is, as Slack's own plan where Slack takes one. */

import type { PacedEdits } from '../../chat/pacing/pacer.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import { type MessageBody, updateMessage } from '../api/messages.ts';
import { progressMessage } from './turn-messages.ts';
import { firstPart, refusesForm, type TurnPoster, type TurnSurroundings } from './turn-poster.ts';

/** Its last one included: edits are scarcer than what happens in a turn. */
const mostEdits = 8;
/** The status line tells who is being seated; edits are left to those whose turns end meanwhile. */
const quietMs = 3000;

/** Whether Slack takes plans, as far as is known: once it turned out not to, there are none. */
export interface Plans {
  areTaken: boolean;
}

export class ProgressMessage {
  readonly #edits: PacedEdits<MessageBody>;
  readonly #plans: Plans;
  #count = 0;

  /** Posts it, unless it is there. Rejects as Slack refuses it. */
  static async open(
    first: ShownTurn,
    around: TurnSurroundings,
    poster: TurnPoster,
    plans: Plans,
  ): Promise<ProgressMessage> {
    const known = poster.known(firstPart);
    if (known !== undefined) {
      return new ProgressMessage(known, { text: '', blocks: [] }, around, plans);
    }
    const body = () => progressMessage(first, { isPlan: plans.areTaken });
    const plainer = () => {
      plans.areTaken = false;
      return body();
    };
    const fallback = plans.areTaken ? plainer : undefined;
    const ts = await poster.send(firstPart, body(), undefined, fallback);
    return new ProgressMessage(ts, body(), around, plans);
  }

  /** @param shown - What it shows; empty where that is not known. */
  private constructor(ts: string, shown: MessageBody, around: TurnSurroundings, plans: Plans) {
    const { patientApi, pacer, log, place, turnId, signal } = around;
    const { channel } = place;
    this.#plans = plans;
    this.#edits = pacer.edits<MessageBody>({
      destination: { thread: `${channel} ${ts}`, channel },
      kindOf: (isLast) => (isLast ? 'last_edit' : 'edit'),
      ...{ signal, quietMs, shown },
      edit: async (body) => {
        this.#count += 1;
        await updateMessage(patientApi, place, ts, body);
      },
      onEditFailed: (error) => {
        if (refusesForm(error)) plans.areTaken = false;
        log.warn({ turnId, error }, 'a progress message could not be edited');
      },
    });
  }

  show(turn: ShownTurn): void {
    if (this.#count >= mostEdits - 1) return;
    this.#edits.show(progressMessage(turn, { isPlan: this.#plans.areTaken }));
  }

  /** @param verdictUrl - Address of the verdict; absent: there is none. */
  finish(turn: ShownTurn, verdictUrl: string | undefined): Promise<void> {
    return this.#edits.finish(progressMessage(turn, { isPlan: false, verdictUrl }));
  }
}
