/** Updates a running turn live, and sends questions with the keyboard. Every page also works without it. */

/** @param {string} id */
const byId = (id) => document.getElementById(id);

/** Announces a sentence to screen readers. @param {string} sentence */
function announce(sentence) {
  const status = byId('said');
  if (status) status.textContent = sentence;
}

/**
 * Replaces the content of a region; keeps the focus, the scroll position and open details.
 *
 * @param {string} id
 * @param {string} html - Rendered by the server.
 */
function replaceRegion(id, html) {
  const region = byId(id);
  if (!region) return;
  const open = new Set(Array.from(region.querySelectorAll('details[open]'), (one) => keyOf(one)));
  const focused = region.contains(document.activeElement) ? keyOf(document.activeElement) : '';
  const said = region.querySelector('.said');
  const isAtEnd = !said || said.scrollTop + said.clientHeight >= said.scrollHeight - 24;
  const scrolled = said?.scrollTop ?? 0;
  region.innerHTML = html;
  for (const one of region.querySelectorAll('details')) if (open.has(keyOf(one))) one.open = true;
  const after = region.querySelector('.said');
  if (after) after.scrollTop = isAtEnd ? after.scrollHeight : scrolled;
  if (focused === '') return;
  for (const one of region.querySelectorAll('a, summary, button')) {
    if (one instanceof HTMLElement && keyOf(one) === focused) return one.focus();
  }
}

/** @param {Element | null} element */
function keyOf(element) {
  return element?.getAttribute('href') ?? element?.textContent?.trim().slice(0, 60) ?? '';
}

/** Updates the page of a running turn; a lost connection resumes where it broke off. @param {HTMLElement} main */
function follow(main) {
  const { live } = main.dataset;
  if (!live) return;
  const events = new EventSource(live);
  events.addEventListener('region', (event) => {
    const { id, html } = JSON.parse(event.data);
    replaceRegion(id, html);
  });
  events.addEventListener('say', (event) => announce(JSON.parse(event.data)));
  events.addEventListener('whole', () => {
    events.close();
    void showWhole(main);
  });
  events.addEventListener('open', () => document.body.classList.remove('offline'));
  events.addEventListener('error', () => {
    document.body.classList.add('offline');
    // The browser reconnects after a lost connection, but not after a refusal.
    if (events.readyState === EventSource.CLOSED)
      announce('The page is no longer live. Reload it.');
  });
}

/** Loads the page of a turn that has ended or was forgotten. @param {HTMLElement} main */
async function showWhole(main) {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const whole = page.querySelector('main');
  if (!whole || !(response.ok || response.status === 404)) return;
  const { scrollY } = window;
  main.replaceWith(whole);
  window.scrollTo({ top: scrollY });
}

/** Sends forms with Ctrl and Enter, and each only once. */
function bindForms() {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const isSending = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (isSending && target instanceof HTMLTextAreaElement) target.form?.requestSubmit();
  });
  document.addEventListener('submit', (event) => {
    const { target } = event;
    if (!(target instanceof HTMLFormElement) || target.method !== 'post') return;
    if (target.dataset.sent) event.preventDefault();
    target.dataset.sent = 'yes';
  });
  // A page restored by the back button may send its forms again.
  addEventListener('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sent;
  });
}

bindForms();
const main = document.querySelector('main');
if (main) follow(main);
