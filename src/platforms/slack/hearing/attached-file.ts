import type { OpenedFile } from '../../../domain/source.ts';
import { openFile, originOf } from '../../chat/hearing/open-file.ts';

/** Where Slack keeps what people attach; it wants the token there. */
const fileOrigins = ['https://files.slack.com', 'https://files.slack-gov.com'];

export interface FileAccess {
  readonly token: string;
  /** Absent: Slack's own. */
  readonly apiUrl: string | undefined;
}

/** As `Platform.openFile`. */
export function openAttached(
  address: string,
  { token, apiUrl }: FileAccess,
  signal: AbortSignal,
): Promise<OpenedFile> {
  return openFile(
    address,
    {
      origins: [...fileOrigins, originOf(apiUrl)],
      headers: { authorization: `Bearer ${token}` },
      whyElsewhere: 'I lack the permission files:read in this workspace',
      // Without the permission Slack answers with the page on which people sign in.
      isPage: (headers) =>
        /html/i.test(headers.get('content-type') ?? '') && !headers.has('content-disposition'),
    },
    signal,
  );
}
