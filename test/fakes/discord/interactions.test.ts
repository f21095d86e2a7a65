import {
  ActionRowBuilder,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  type Client,
  ContextMenuCommandBuilder,
  Events,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  PermissionFlagsBits,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { expect, test } from 'vitest';
import { startConnected } from './connected-client.ts';

const council = new SlashCommandBuilder()
  .setName('council')
  .setDescription('Seats the council')
  .addSubcommand((ask) =>
    ask
      .setName('ask')
      .setDescription('Asks')
      .addStringOption((option) =>
        option.setName('question').setDescription('What').setRequired(true).setMaxLength(6000),
      )
      .addStringOption((option) =>
        option.setName('sages').setDescription('Who').setAutocomplete(true),
      )
      .addIntegerOption((option) => option.setName('seats').setDescription('How many')),
  );

const menu = new ContextMenuCommandBuilder()
  .setName('Ask the council')
  .setType(ApplicationCommandType.Message);

/** A connected bot with its commands registered, which answers each interaction as the test says. */
async function startAnswering(answer: (interaction: Interaction) => Promise<unknown>) {
  const started = await startConnected();
  await started.client.application.commands.set([council, menu]);
  answerWith(started.client, answer);
  return started;
}

function answerWith(client: Client, answer: (interaction: Interaction) => Promise<unknown>): void {
  client.on(Events.InteractionCreate, (interaction) => void answer(interaction));
}

const ask = { command: 'council', subcommand: 'ask', options: { question: 'Why?' } } as const;

test('a slash command is answered, the answer edited, and a follow-up sent', async () => {
  await using started = await startAnswering(async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    const question = interaction.options.getString('question', true);
    const { resource } = await interaction.reply({ content: question, withResponse: true });
    await interaction.editReply(`${resource?.message?.content} Indeed.`);
    await interaction.followUp({ content: 'psst', flags: MessageFlags.Ephemeral });
  });
  const { discord, channel, ada } = started;
  discord.slash({ ...ask, user: ada, channel });
  await discord.until(() => discord.messages(channel.id).length === 2);
  const [answer, aside] = discord.messages(channel.id);
  expect(answer?.wire.content).toBe('Why? Indeed.');
  expect(aside?.onlyFor).toBe(ada.id);
  expect(discord.violations.all).toEqual([]);
});

test('a deferred answer is loading until it is filled with components', async () => {
  await using started = await startAnswering(async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply({ withResponse: true });
    await interaction.editReply({
      components: [new TextDisplayBuilder().setContent('**Seated**')],
      flags: MessageFlags.IsComponentsV2,
    });
    await interaction.deleteReply();
  });
  const { discord, channel, ada } = started;
  const interaction = discord.slash({ ...ask, user: ada, channel });
  await discord.until(() => interaction.originalMessageId !== undefined);
  const [loading] = discord.messages(channel.id);
  expect(loading?.wire.flags).toBe(MessageFlags.Loading);
  await discord.until(() => discord.messages(channel.id).length === 0);
  expect(loading?.wire).toMatchObject({
    flags: MessageFlags.IsComponentsV2,
    components: [{ content: '**Seated**', id: 1 }],
  });
  expect(discord.violations.all).toEqual([]);
});

test('autocomplete is answered with choices', async () => {
  await using started = await startAnswering(async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const typed = interaction.options.getFocused();
    await interaction.respond([{ name: `${typed}…`, value: typed }]);
  });
  const { discord, channel, ada } = started;
  const options = { sages: 'tal' };
  const typing = discord.autocomplete({ ...ask, options, focused: 'sages', user: ada, channel });
  await discord.until(() => typing.acknowledgement !== undefined);
  expect(typing.acknowledgement).toEqual({
    kind: 'choices',
    choices: [{ name: 'tal…', value: 'tal' }],
  });
  expect(discord.violations.all).toEqual([]);
});

test('a button and a select menu change their message', async () => {
  await using started = await startAnswering(async (interaction) => {
    if (interaction.isChatInputCommand()) {
      const stop = new ButtonBuilder()
        .setCustomId('stop')
        .setLabel('Stop')
        .setStyle(ButtonStyle.Danger);
      const depth = new StringSelectMenuBuilder()
        .setCustomId('depth')
        .addOptions({ label: 'Quick', value: 'quick' }, { label: 'Deep', value: 'deep' });
      await interaction.reply({
        content: 'card',
        components: [
          new ActionRowBuilder<ButtonBuilder>().addComponents(stop),
          new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(depth),
        ],
      });
    } else if (interaction.isButton()) {
      await interaction.deferUpdate();
      await interaction.editReply('stopped');
    } else if (interaction.isStringSelectMenu()) {
      await interaction.update({ content: `depth ${interaction.values[0]}`, components: [] });
    }
  });
  const { discord, channel, ada } = started;
  discord.slash({ ...ask, user: ada, channel });
  await discord.until(() => discord.messages(channel.id).length === 1);
  const [card] = discord.messages(channel.id);
  if (card === undefined) throw new Error('There is no card.');
  discord.pressButton(ada, card, 'stop');
  await discord.until(() => card.wire.content === 'stopped');
  discord.select(ada, card, 'depth', ['deep']);
  await discord.until(() => card.wire.content === 'depth deep');
  expect(() => discord.pressButton(ada, card, 'stop')).toThrow('no such component');
  expect(discord.violations.all).toEqual([]);
});

test('a modal is shown, filled in and answered', async () => {
  await using started = await startAnswering(async (interaction) => {
    if (interaction.isChatInputCommand()) {
      const name = new TextInputBuilder().setCustomId('name').setStyle(TextInputStyle.Short);
      const label = new LabelBuilder().setLabel('Name').setTextInputComponent(name);
      await interaction.showModal(
        new ModalBuilder().setCustomId('summon').setTitle('Summon').addLabelComponents(label),
      );
    } else if (interaction.isModalSubmit()) {
      await interaction.reply(`Welcome, ${interaction.fields.getTextInputValue('name')}`);
    }
  });
  const { discord, channel, ada } = started;
  const opened = discord.slash({ ...ask, user: ada, channel });
  await discord.until(() => opened.acknowledgement?.kind === 'modal');
  expect(() => discord.submitModal(opened, { name: '' })).toThrow('required');
  discord.submitModal(opened, { name: 'Seneca' });
  await discord.until(() => discord.messages(channel.id).length === 1);
  expect(discord.messages(channel.id)[0]?.wire.content).toBe('Welcome, Seneca');
  expect(discord.violations.all).toEqual([]);
});

test('the target of a message command is shown whole without the content intent', async () => {
  await using started = await startConnected({ privilegedIntents: [], intents: [] });
  const { discord, client, channel, ada } = started;
  await client.application.commands.set([council, menu]);
  const seen = new Promise<string>((resolve) => {
    answerWith(client, async (interaction) => {
      if (interaction.isMessageContextMenuCommand()) resolve(interaction.targetMessage.content);
    });
  });
  const asked = discord.userSays(channel, ada, 'What would they say?');
  discord.messageCommand(ada, 'Ask the council', asked);
  expect(await seen).toBe('What would they say?');
});

test('a command is told who may do what here', async () => {
  await using started = await startConnected();
  const { discord, client, guild, channel, ada } = started;
  const bea = discord.addMember(guild, 'Bea', ['ManageChannels']);
  await client.application.commands.set([council]);
  const seen: unknown[] = [];
  answerWith(client, async (interaction) => {
    seen.push([
      interaction.memberPermissions?.has(PermissionFlagsBits.ManageChannels),
      interaction.appPermissions.has(PermissionFlagsBits.ManageWebhooks),
    ]);
  });
  discord.slash({ ...ask, user: ada, channel });
  discord.revokePermissions(channel, 'ManageWebhooks');
  discord.slash({ ...ask, user: bea, channel });
  await expect
    .poll(() => seen)
    .toEqual([
      [false, true],
      [true, false],
    ]);
});

test('a command that no one registered cannot be given', async () => {
  await using started = await startConnected();
  const { discord, channel, ada } = started;
  expect(() => discord.slash({ ...ask, user: ada, channel })).toThrow('has to PUT it first');
});

test('an interaction is answered once, within 3 s, and its token dies after 15 minutes', async () => {
  const refusals: unknown[] = [];
  await using started = await startAnswering(async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    const { id, token } = interaction;
    const callback = `/interactions/${id}/${token}/callback` as const;
    const post = async () => interaction.client.rest.post(callback, { body: { type: 5 } });
    await post().catch(({ code }) => refusals.push(code));
    await post().catch(({ code }) => refusals.push(code));
    discord.clock.advance(15 * 60_000);
    await interaction.webhook.send('too late').catch(({ code }) => refusals.push(code));
  });
  const { discord, channel, ada } = started;
  discord.slash({ ...ask, user: ada, channel });
  await expect.poll(() => refusals).toEqual([40060, 50027]);
  refusals.length = 0;
  discord.slash({ ...ask, user: ada, channel });
  discord.clock.advance(3001);
  await expect.poll(() => refusals).toEqual([10062, 10062, 50027]);
});

test('a user-installed app gets five follow-ups', async () => {
  const refusals: unknown[] = [];
  await using started = await startAnswering(async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply('0');
    for (const text of ['1', '2', '3', '4', '5', '6']) {
      await interaction.followUp(text).catch(({ code }) => refusals.push(code));
    }
  });
  const { discord, channel, ada } = started;
  discord.slash({ ...ask, user: ada, channel, isUserInstalled: true });
  await expect.poll(() => refusals).toEqual([40094]);
  expect(discord.messages(channel.id)).toHaveLength(6);
});

test('a command works in direct messages, where there is no member', async () => {
  await using started = await startAnswering(async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply(String(interaction.inGuild()));
  });
  const { discord, ada } = started;
  const direct = discord.directMessages(ada);
  discord.slash({ ...ask, user: ada, channel: direct });
  await discord.until(() => discord.messages(direct.id).length === 1);
  expect(discord.messages(direct.id)[0]?.wire.content).toBe('false');
  expect(discord.violations.all).toEqual([]);
});

test.each<[string, object]>([
  ['a modal of six components', { type: 9, data: modal(6, 'Summon') }],
  ['a modal whose title has 46 characters', { type: 9, data: modal(1, 'x'.repeat(46)) }],
  ['choices, which are for autocomplete alone', { type: 8, data: { choices: [] } }],
  ['an update of a message that is not there', { type: 6 }],
  ['too much content', { type: 4, data: { content: 'x'.repeat(2001) } }],
])('a slash command cannot be answered with %s', async (_, body) => {
  const refusals: unknown[] = [];
  await using started = await startAnswering(async ({ id, token, client }) => {
    const callback = `/interactions/${id}/${token}/callback` as const;
    await client.rest.post(callback, { body }).catch(({ code }) => refusals.push(code));
  });
  const { discord, channel, ada } = started;
  discord.slash({ ...ask, user: ada, channel });
  await expect.poll(() => refusals).toEqual([50035]);
  expect(discord.violations.all).toMatchObject([{ kind: 'request' }]);
});

test('twenty-six suggestions are too many', async () => {
  const refusals: unknown[] = [];
  await using started = await startAnswering(async (interaction) => {
    if (!interaction.isAutocomplete()) return;
    const choices = Array.from({ length: 26 }, (_, index) => ({ name: `${index}`, value: 'x' }));
    await interaction.respond(choices).catch(({ code }) => refusals.push(code));
  });
  const { discord, channel, ada } = started;
  discord.autocomplete({ ...ask, options: {}, focused: 'sages', user: ada, channel });
  await expect.poll(() => refusals).toEqual([50035]);
});

test('an ephemeral answer is not in the history and can be edited by its token alone', async () => {
  const refusals: unknown[] = [];
  await using started = await startAnswering(async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply({ content: 'psst', flags: MessageFlags.Ephemeral });
    const { id } = await interaction.fetchReply();
    const path = `/channels/${interaction.channelId}/messages/${id}` as const;
    await interaction.client.rest.get(path).catch(({ code }) => refusals.push(code));
    await interaction.editReply('still between us');
  });
  const { discord, channel, ada } = started;
  discord.slash({ ...ask, user: ada, channel });
  await discord.until(() => discord.messages(channel.id)[0]?.wire.content === 'still between us');
  expect(refusals).toEqual([10008]);
  expect(discord.violations.all).toEqual([]);
});

function modal(count: number, title: string): object {
  const components = Array.from({ length: count }, (_, index) => ({
    type: 18,
    label: 'x',
    component: { type: 4, style: 1, custom_id: `i${index}` },
  }));
  return { custom_id: 'summon', title, components };
}
