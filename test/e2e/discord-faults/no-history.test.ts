/** Without the permission to read a channel's history no one can tell whether an answer that got lost has arrived. */

import { expect, test } from 'vitest';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import type { Fault } from '../../fakes/discord/rest/faults.ts';
import { bitsOf } from '../../fakes/discord/world/permissions.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import { endOrder, failRequest, routes } from './whole-turn.ts';

const faults: readonly (readonly [Fault['kind'], number])[] = [
  ['drop', 0],
  ['drop after processing', 1],
];

test.each(faults)(
  'without Read Message History an answer that got lost (“%s”) is left out rather than said twice',
  async (kind, times) => {
    const order = endOrder();
    await using council = await startCouncil(scriptedModels(wholeScript), {
      bot: { log: order.log },
      before: forgetHistory,
    });
    const { discord, channel, bot, platform } = council;
    expect(
      platform
        .report()
        .gaps.map(({ lost }) => lost)
        .join(),
    ).toContain('left out');
    failRequest(discord, { route: routes.webhookPost, number: 1, fault: faultOf(kind) });
    ask(council, 'Should we rewrite the engine?');
    await discord.until(
      () => discord.messages(channel.id).some((one) => textOf(one).includes('Rewrite it in parts')),
      'the verdict',
    );
    await bot.idle();
    const texts = discord.messages(channel.id).map((one) => textOf(one).trim());
    const [first = '', ...others] = order.sages;
    const saidBy = (sage: string) =>
      texts.filter((text) => text.toLowerCase().startsWith(`${sage} says`)).length;
    expect(saidBy(first)).toBe(times);
    expect(others.map(saidBy)).toEqual([1, 1, 1]);
    expect(texts.join('\n')).toContain('Discord did not confirm a message');
    expect(discord.violations.all).toEqual([]);
  },
);

test('without Read Message History a mention that is refused is answered, though not as a reply', async () => {
  await using council = await startCouncil(scriptedModels({}), { before: forgetHistory });
  const { discord, channel, ada, lines } = council;
  discord.userSays(channel, ada, '', { mentionsBot: true });
  await discord.until(() => discord.messages(channel.id).length === 2, 'the refusal');
  const refusal = discord.messages(channel.id).at(-1);
  expect(refusal && textOf(refusal)).toContain('I don’t see a question there');
  expect(lines.filter((line) => /^(?:warn|error) (?!without)/.test(line))).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

function forgetHistory({ guild }: Pick<CouncilInDiscord, 'guild'>): void {
  for (const role of guild.roles.values()) {
    const permissions = String(BigInt(role.permissions) & ~bitsOf(['ReadMessageHistory']));
    guild.roles.set(role.id, { ...role, permissions });
  }
}

function faultOf(kind: Fault['kind']): Fault {
  return kind === 'drop' ? { kind } : { kind: 'drop after processing' };
}
