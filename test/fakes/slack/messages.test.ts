import { describe, expect, test } from 'vitest';
import { newClient, startWorld } from './connected-app.ts';

async function startClient() {
  const world = await startWorld();
  const { slack } = world;
  const client = newClient(slack);
  return { ...world, client };
}

describe('messages of the app', () => {
  test('have its own name without the scope for another, and no one is told', async () => {
    await using world = await startClient();
    const { slack, client, channel } = world;
    const post = () =>
      client.chat.postMessage({
        channel: channel.id,
        text: 'So.',
        username: 'Seneca',
        icon_emoji: ':classical_building:',
      });
    expect((await post()).message).toMatchObject({ subtype: 'bot_message', username: 'Seneca' });
    slack.setScopes(['chat:write']);
    const answer = await post();
    expect(answer.response_metadata?.scopes).toEqual(['chat:write']);
    expect(slack.appMessages().map(({ author, icon }) => [author, icon])).toEqual([
      ['Seneca', ':classical_building:'],
      ['Council', undefined],
    ]);
  });

  test('are refused without the scope to write, naming what is needed and what is there', async () => {
    await using world = await startClient();
    const { slack, client, channel } = world;
    slack.setScopes(['channels:read']);
    const post = client.chat.postMessage({ channel: channel.id, text: 'So.' });
    await expect(post).rejects.toMatchObject({
      data: { error: 'missing_scope', needed: 'chat:write', provided: 'channels:read' },
    });
  });

  test('reach no channel of another workspace, nor a private one that it is not in', async () => {
    await using world = await startClient();
    const { slack, client } = world;
    const elsewhere = slack.addWorkspace('Sparta');
    const foreign = await slack.addChannel('general', { workspace: elsewhere });
    const secret = await slack.addChannel('secret', { isPrivate: true, hasApp: false });
    for (const { id } of [foreign, secret]) {
      const post = client.chat.postMessage({ channel: id, text: 'So.' });
      await expect(post).rejects.toThrow('channel_not_found');
      await expect(client.conversations.history({ channel: id })).rejects.toThrow(
        'channel_not_found',
      );
    }
  });

  test('are hidden from all but one when they are ephemeral, and are in no history', async () => {
    await using world = await startClient();
    const { slack, client, channel, ada } = world;
    await client.chat.postEphemeral({ channel: channel.id, user: ada.user.id, text: 'Psst.' });
    expect(slack.messages(channel)).toMatchObject([{ text: 'Psst.', ephemeralFor: ada.user.id }]);
    expect((await client.conversations.history({ channel: channel.id })).messages).toEqual([]);
  });

  test('lose their blocks when they are updated with text alone', async () => {
    await using world = await startClient();
    const { slack, client, channel } = world;
    const header = { type: 'header', text: { type: 'plain_text', text: 'Verdict' } } as const;
    const { ts = '' } = await client.chat.postMessage({
      channel: channel.id,
      text: 'Verdict',
      blocks: [header],
    });
    await client.chat.update({ channel: channel.id, ts, text: 'Withdrawn' });
    expect(slack.appMessages()).toMatchObject([{ text: 'Withdrawn', blocks: [], isEdited: true }]);
  });

  test('carry files, which only the app can read again', async () => {
    await using world = await startClient();
    const { slack, client, channel, ada } = world;
    const said = await ada.says(channel, 'the minutes, please');
    await client.filesUploadV2({
      channel_id: channel.id,
      thread_ts: said.thread,
      filename: 'minutes.md',
      content: '# Minutes',
      initial_comment: 'Here.',
    });
    const [, answer] = slack.thread(channel, said.thread);
    expect(answer).toMatchObject({ text: 'Here.', files: [{ name: 'minutes.md', size: 9 }] });
    const url = String(answer?.files[0]?.url_private);
    // Without a token Slack shows the page for signing in.
    expect(await (await fetch(url)).text()).not.toContain('# Minutes');
    const authorization = `Bearer ${slack.installation().botToken}`;
    expect(await (await fetch(url, { headers: { authorization } })).text()).toBe('# Minutes');
  });

  test('come a page at a time', async () => {
    await using world = await startClient();
    const { client, channel, ada } = world;
    const { thread } = await ada.says(channel, 'count');
    for (const text of ['1', '2', '3']) await ada.says(channel, text, { thread });
    const pages: (string | undefined)[][] = [];
    const replies = { channel: channel.id, ts: thread, limit: 3 };
    for await (const page of client.paginate('conversations.replies', replies)) {
      const { messages = [] } = page as { messages?: { text?: string }[] };
      pages.push(messages.map(({ text }) => text));
    }
    expect(pages).toEqual([['count', '1', '2'], ['3']]);
  });
});
