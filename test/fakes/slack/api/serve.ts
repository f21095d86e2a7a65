import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CallOptions, serveCall } from './serve-call.ts';
import { giveFile, takeUpload } from './serve-files.ts';
import { serveResponseUrl } from './serve-response-url.ts';

/** Serves whatever the app asks for: methods, response urls, files. Rejects when the fake itself is broken. */
export function requestHandler(options: CallOptions) {
  const { world } = options;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', world.origin);
    const [, place, ...rest] = url.pathname.split('/');
    const id = rest.at(-1) ?? '';
    switch (place) {
      case 'api':
        return serveCall(options, request, response, url);
      case 'response':
        return serveResponseUrl(world, request, response, id);
      case 'upload':
        return takeUpload(world, request, response, id);
      case 'files-pri':
        return giveFile(world, request, response, id);
      default:
        response.writeHead(404).end();
    }
  };
}
