/** What the models and Discord's limits alone would take: the moments of turns that begin together, computed. */

/** Each call to a model takes so long. */
const callMs = 200;
/** One after another: moderator, sages; then reviews, chair. */
const modelsToAnswerMs = 2 * callMs;
const modelsToVerdictMs = 4 * callMs;
const answersPerTurn = 4;

const perSecond = 50;
const perTwoSeconds = 5;
const perMinute = 30;

export interface Moments {
  readonly cardMs: number;
  readonly firstAnswerMs: number;
  readonly verdictMs: number;
}

/**
 * When people could see what at the earliest, were the bot, its store and the network infinitely
 * fast, sent every request in the first moment in which a limit lets it through, and answered the
 * turns of a channel one after another: all answers of a turn before any of the next. (While a turn has
 * nothing to say the next one may, so that first answers can be earlier than here.)
 *
 * - **Card:** at once. It answers the interaction, which no limit counts.
 * - **First answer:** not before the moderator and a sage have answered. The turn needs a thread, and
 *   one turn of each channel its webhook: looked for and made. These are requests of the bot, of which
 *   Discord takes 50 a second, counted from the first: number n (from 0) goes out in second ⌊n / 50⌋.
 *   The answer itself is the webhook's. Of one webhook Discord takes 5 messages in 2 seconds, and of a
 *   channel's webhooks 30 in a minute: number n goes out in minute ⌊n / 30⌋, within it in span
 *   ⌊(n mod 30) / 5⌋ of 2 seconds. Of all webhooks together it takes 50 a second.
 * - **Verdict:** not before all four rounds of models, nor before the turn's fourth answer, which all
 *   answers of the turns before it are ahead of. Ranking and verdict are two requests of the bot more,
 *   after all those above.
 *
 * Edits of the card count for nothing, as they can wait. What two limits demand is the later of both.
 *
 * @returns For each turn; the turns take turns with the channels, as `index % channels`.
 */
export function alone(turns: number, channels: number): readonly Moments[] {
  return Array.from({ length: turns }, (_, index): Moments => {
    const before = Math.floor(index / channels);
    const channelsBegun = Math.min(index + 1, channels);
    const toFirstAnswer = index + 1 + 2 * channelsBegun;
    const toVerdict = turns + 2 * channels + 2 * (index + 1);
    return {
      cardMs: 0,
      firstAnswerMs: Math.max(
        modelsToAnswerMs,
        requestAt(toFirstAnswer - 1),
        requestAt(index),
        webhookPostAt(answersPerTurn * before),
      ),
      verdictMs: Math.max(
        modelsToVerdictMs,
        requestAt(toVerdict - 1),
        requestAt((answersPerTurn - 1) * turns + index),
        webhookPostAt(answersPerTurn * before + answersPerTurn - 1),
      ),
    };
  });
}

function requestAt(number: number): number {
  return Math.floor(number / perSecond) * 1000;
}

function webhookPostAt(number: number): number {
  const minutes = Math.floor(number / perMinute);
  const spans = Math.floor((number % perMinute) / perTwoSeconds);
  return minutes * 60_000 + spans * 2000;
}
