import type { OpenedFile } from '../../../domain/source.ts';
import { openFile, originOf } from '../../chat/hearing/open-file.ts';

/** Where Discord keeps what people attach; an address there needs no token, and expires. */
const fileOrigins = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];

/** As `Platform.openFile`. @param api - Absent: Discord's own. */
export function openAttached(
  address: string,
  api: string | undefined,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const origins = [...fileOrigins, originOf(api)];
  return openFile(address, { origins, whyElsewhere: 'Discord does not keep it' }, signal);
}
