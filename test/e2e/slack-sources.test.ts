import { expect, test } from 'vitest';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { usualScopes } from '../fakes/slack/world/app.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';
import { pageSaying, pdfOf, pngOf } from '../sources/files.ts';
import { linkedPage } from '../sources/linked-page.ts';

const once = () => scriptedModels({ sages: { ben: [answer('No.')] } });

/** What Ben was shown, once he has been asked. */
async function shownTo(models: ReturnType<typeof once>, { slack, bot }: CouncilInSlack) {
  await slack.until(() => models.sage({ key: 'ben' }).requests.length === 1, 'the question');
  await bot.idle();
  slack.assertNoViolations();
  return models.sage({ key: 'ben' }).requests[0]?.messages ?? [];
}

const report = { name: 'report.pdf', bytes: pdfOf([pageSaying('The ferry costs 40k.')]) };

test('what is attached in a thread is read for the sages, and forgotten with its message', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { ada, channel, slack, bot } = council;
  const first = await ada.says(channel, 'See this.', {
    files: [{ name: 'notes.csv', bytes: Buffer.from('bridge,closed') }],
  });
  const { thread } = first;
  const picture = { name: 'chart.png', bytes: pngOf(800, 600) };
  await ada.mentions(channel, 'Ben: which one?', { thread, files: [report, picture] });
  const messages = await shownTo(models, council);
  const told = JSON.stringify(messages);
  expect(told).toContain('The ferry costs 40k.');
  expect(told).toContain('bridge,closed');
  expect(messages.flatMap(({ pictures = [] }) => pictures)).toHaveLength(1);
  const heard = async () => {
    const threadId = `slack:${slack.workspace.id}:${channel.id}:${thread}`;
    const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
    const record = turn && (await bot.store.turns.read(turn));
    return JSON.stringify(record && readPastTurn(record).heard);
  };
  expect(await heard()).toContain('bridge,closed');
  await ada.deletes(channel, first);
  await expect.poll(heard).not.toContain('bridge,closed');
});

test('without the permission for files that is told, and the page in their place is no source', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { ada, channel, slack } = council;
  slack.setScopes(usualScopes.filter((scope) => scope !== 'files:read'));
  await ada.mentions(channel, 'Ben: which one?', { files: [report] });
  const told = JSON.stringify(await shownTo(models, council));
  expect(told).toContain(
    'I could not read report.pdf: I lack the permission files:read in this workspace.',
  );
  expect(told).not.toContain('Sign in');
});

test('a file in a channel that is shared with another organisation is read, though its event has only its id', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { slack, ada } = council;
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada] });
  await ada.mentions(shared, 'Ben: which one?', { files: [report] });
  expect(JSON.stringify(await shownTo(models, council))).toContain('The ferry costs 40k.');
});

test('of such a file without the permission for files that is told', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { slack, ada } = council;
  slack.setScopes(usualScopes.filter((scope) => scope !== 'files:read'));
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada] });
  await ada.mentions(shared, 'Ben: which one?', { files: [report] });
  expect(JSON.stringify(await shownTo(models, council))).toContain(
    'I could not read a file: I lack the permission files:read in this workspace.',
  );
});

test.each([{ isShared: false }, { isShared: true }])(
  'of a file that is kept elsewhere that is told, %j',
  async ({ isShared }) => {
    const models = once();
    await using council = await startCouncil(models);
    const { slack, ada } = council;
    const where = await slack.addChannel('plans', { isShared, members: [ada] });
    const files = [{ ...report, address: 'https://docs.example/report' }];
    await ada.mentions(where, 'Ben: which one?', { files });
    expect(JSON.stringify(await shownTo(models, council))).toMatch(
      /I could not read (?:report.pdf|a file): it is kept outside of Slack\./,
    );
  },
);

test('of a file that is gone before it is read no permission is blamed', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { slack, ada } = council;
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada] });
  slack.faults.plan('files.info', { kind: 'refusal', error: 'file_not_found' });
  await ada.mentions(shared, 'Ben: which one?', { files: [report] });
  expect(JSON.stringify(await shownTo(models, council))).toContain(
    'I could not read a file: it could not be fetched.',
  );
});

test('the token goes to Slack’s own servers alone', async () => {
  const models = once();
  const site = await linkedPage();
  await using council = await startCouncil(models);
  const { ada, channel } = council;
  const files = [{ ...report, address: site.address }];
  await ada.mentions(channel, 'Ben: which one?', { files });
  expect(JSON.stringify(await shownTo(models, council))).toContain('I could not read report.pdf');
  expect(site.asked).toEqual([]);
});

test('what a member links to is read', async () => {
  const models = once();
  const site = await linkedPage();
  await using council = await startCouncil(models, { bot: { mayConnect: site.mayConnect } });
  const { ada, channel } = council;
  await ada.mentions(channel, `Ben: is <${site.address}|this> right?`);
  expect(JSON.stringify(await shownTo(models, council))).toContain('closed until May');
  expect(site.asked).toHaveLength(1);
});

test('a link to a message in Slack is no page, which would be that to sign in', async () => {
  const models = once();
  await using council = await startCouncil(models, { bot: { mayConnect: () => false } });
  const { ada, channel } = council;
  await ada.mentions(channel, 'Ben: is <https://agora.slack.com/archives/C1/p17> right?');
  const told = JSON.stringify(await shownTo(models, council));
  expect(told).toContain('slack.com/archives/C1/p17');
  expect(told).not.toContain('could not');
});

test('so it is where the app is installed for a whole organisation', async () => {
  const models = once();
  const site = await linkedPage();
  const { mayConnect } = site;
  await using council = await startCouncil(models, { isOrgWide: true, bot: { mayConnect } });
  const { ada, channel } = council;
  await ada.mentions(channel, `Ben: is <${site.address}|this> right?`);
  expect(JSON.stringify(await shownTo(models, council))).toContain('closed until May');
});

test.each([
  ['another workspace', false],
  ['the organisation of another company', true],
])('what a guest from %s links to is not followed', async (_where, isInOrganisation) => {
  const models = once();
  const site = await linkedPage();
  await using council = await startCouncil(models, { bot: { mayConnect: site.mayConnect } });
  const { slack, ada } = council;
  const stoa = slack.addWorkspace('Stoa', { isInstalled: false, isInOrganisation });
  const zeno = slack.addMember('Zeno', { workspace: stoa });
  const shared = await slack.addChannel('with-stoa', { isShared: true, members: [ada, zeno] });
  const mention = `<@${slack.installation().botUserId}>`;
  await zeno.says(shared, `${mention} Ben: is ${site.address} right?`);
  const told = JSON.stringify(await shownTo(models, council));
  expect(told).toContain('here I follow the links of members alone');
  expect(site.asked).toEqual([]);
});
