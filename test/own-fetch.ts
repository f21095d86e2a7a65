/**
 * Loads Node's own `fetch` before a worker loads any test. Otherwise the undici that comes with Slack's
 * library would become the one that Discord's sends by, which can't send a file.
 */

void globalThis.Response;
