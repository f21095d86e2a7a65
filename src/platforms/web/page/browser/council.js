/** Updates a running turn live, and sends questions with the keyboard. Every page also works without it. */

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Shows times in the reader's time zone. @param {ParentNode} part */
function showLocalTimes(part) {
  for (const time of part.querySelectorAll('time'))
    time.textContent = clock.format(new Date(time.dateTime));
}

/** @type {Set<string>} */
const announced = new Set();

/** @type {string[]} */
const unsaid = [];

/**
 * Announces a sentence to screen readers, once: a stream that was cut may begin anew. Sentences that come together are
 * announced together: of two changes at once, screen readers read only the last.
 *
 * @param {string} sentence
 */
function announce(sentence) {
  if (announced.has(sentence)) return;
  announced.add(sentence);
  if (unsaid.push(sentence) > 1) return;
  setTimeout(() => {
    const status = document.getElementById('said');
    if (status) status.textContent = unsaid.splice(0).join(' ');
  }, 300);
}

/** What each region shows. @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/**
 * Replaces the content of a region, and keeps its scroll position.
 *
 * @param {string} id
 * @param {string} html - Rendered by the server.
 */
function replaceRegion(id, html) {
  const region = document.getElementById(id);
  if (!region || shown.get(region) === html) return;
  shown.set(region, html);
  const said = region.querySelector('.said');
  const isAtEnd = !said || said.scrollTop + said.clientHeight >= said.scrollHeight - 24;
  const scrolled = said?.scrollTop ?? 0;
  replace(region, () => {
    region.innerHTML = html;
    return region;
  });
  const after = region.querySelector('.said');
  // An answer is followed while it grows; then its first sentence, the sage's position, says most.
  const followed = after?.getAttribute('aria-busy') === 'true' ? after.scrollHeight : 0;
  if (after) after.scrollTop = isAtEnd ? followed : scrolled;
}

/** Replaces a part; keeps the focus and open details. @param {Element} part @param {() => Element} change - Returns what replaced it. */
function replace(part, change) {
  const open = new Set(Array.from(part.querySelectorAll('details[open]'), keyOf));
  const focused = part.contains(document.activeElement) ? keyOf(document.activeElement) : '';
  const now = change();
  for (const one of now.querySelectorAll('details')) if (open.has(keyOf(one))) one.open = true;
  for (const one of focused === '' ? [] : now.querySelectorAll('a, summary, button'))
    if (one instanceof HTMLElement && keyOf(one) === focused)
      return one.focus({ preventScroll: true });
}

/** @param {Element | null} element */
function keyOf(element) {
  return element?.getAttribute('href') ?? element?.textContent?.trim().slice(0, 60) ?? '';
}

/** @type {EventSource | undefined} */
let events;

/** Updates the page of a running turn while it is seen; a lost connection resumes where it broke off. */
function follow() {
  const live = document.querySelector('main')?.dataset.live;
  events?.close();
  if (!live || document.hidden) return;
  events = new EventSource(live);
  events.addEventListener('region', (event) => {
    const { id, html } = JSON.parse(event.data);
    replaceRegion(id, html);
  });
  events.addEventListener('say', (event) => announce(JSON.parse(event.data)));
  events.addEventListener('whole', () => {
    events?.close();
    void showNow();
  });
  events.addEventListener('open', () => {
    document.body.classList.remove('offline');
    pauseMs = firstPauseMs;
  });
  events.addEventListener('error', () => {
    document.body.classList.add('offline');
    // The browser reconnects after a lost connection, but not after a refusal, e.g. by a proxy while the server restarts.
    if (events?.readyState === EventSource.CLOSED) showSoon();
  });
}

// A hidden tab holds no connection: browsers open six to a server, and the seventh tab would wait for ever.
// A network can go and come, as on a train, without the stream noticing.
function catchUp() {
  if (document.hidden) events?.close();
  else if (document.querySelector('main')?.dataset.live) void showNow();
}
for (const one of ['visibilitychange', 'offline', 'online']) addEventListener(one, catchUp, true);

const firstPauseMs = 3000;
const longestPauseMs = 60_000;
/** How long to wait after the next refusal: twice as long each time, until there is a connection. */
let pauseMs = firstPauseMs;
let timer = 0;

function showSoon() {
  clearTimeout(timer);
  timer = setTimeout(showNow, pauseMs);
  pauseMs = Math.min(2 * pauseMs, longestPauseMs);
}

/** Refusals that no waiting mends. Not 404: some proxies send it while the server restarts. */
const lasting = [401, 403, 410];

/** Shows the turn as it is now: over, forgotten or still running. */
async function showNow() {
  const { status, now } = await readNow().catch(() => ({ status: 0, now: null }));
  const main = document.querySelector('main');
  if (!now || !main) {
    const isOver = lasting.includes(status);
    document.body.className = isOver ? 'refused' : 'offline';
    if (!isOver) showSoon();
    return;
  }
  document.body.classList.remove('offline');
  showLocalTimes(now);
  keepPlace(() =>
    replace(main, () => {
      main.replaceWith(now);
      return now;
    }),
  );
  follow();
  restoreTyped();
}

/** Keeps what is being read where it is, in its tab: the part under the pointer, or high in the window. @param {() => void} change */
function keepPlace(change) {
  const { scrollY } = window;
  const line = window.innerHeight / 3;
  /** @param {Element} part */
  const isThere = (part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top < line && bottom > line;
  };
  /** @param {Element} part */
  const textOf = (part) => part.querySelector('.said') ?? part;
  /** @param {Element} text */
  const topOf = (text) => text.getBoundingClientRect().top - text.scrollTop;
  const parts = [...document.querySelectorAll('#verdict, .pane')];
  // A finger leaves what it touched last as if it were still there.
  const isPointing = matchMedia('(hover: hover)').matches;
  const read = (isPointing && document.querySelector('.pane:hover')) || parts.find(isThere);
  const place = read ? topOf(textOf(read)) : 0;
  const scrolled = read ? textOf(read).scrollTop : 0;
  change();
  const now = document.getElementById(read?.id ?? '');
  if (!now) return window.scrollTo({ top: scrollY });
  const tab = document.getElementById(now.id.replace('answer-', 'tab-'));
  if (tab instanceof HTMLInputElement) tab.checked = true;
  textOf(now).scrollTop = scrolled;
  window.scrollBy({ top: topOf(textOf(now)) - place });
}

/** The content of the page as it is now, also where the council refuses it; `null` if the server can't tell. */
async function readNow() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  const { ok, status } = response;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const isTold = ok || status === 404 || lasting.includes(status);
  return { status, now: isTold ? page.querySelector('main') : null };
}

/** Where a browser keeps things; nothing is kept where it allows none, e.g. in some apps. @param {'localStorage' | 'sessionStorage'} name */
function storageOf(name) {
  try {
    return window[name] ?? undefined;
  } catch {
    return undefined;
  }
}
const local = storageOf('localStorage');
const session = storageOf('sessionStorage');

/** How long a form is not sent again, unless the browser goes back to it. */
const resendMs = 10_000;

/** Sends forms with Ctrl and Enter, and each only once. */
document.addEventListener('keydown', (event) => {
  const { target } = event;
  const isSending = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  if (isSending && target instanceof HTMLTextAreaElement) target.form?.requestSubmit();
});
document.addEventListener('submit', (event) => {
  const { target } = event;
  if (!(target instanceof HTMLFormElement) || target.method !== 'post') return;
  if (target.dataset.sent) return event.preventDefault();
  target.dataset.sent = 'yes';
  // The browser doesn't tell when a person stops the sending.
  setTimeout(() => delete target.dataset.sent, resendMs);
  if (target.getAttribute('action') === '/sign-out') local?.setItem(signedOut, `${Date.now()}`);
  const form = target.closest('main') && askForm();
  if (!form?.querySelector('textarea')?.value) return;
  const kept = {
    at: Date.now(),
    from: location.pathname,
    place: placeOf(form),
    fields: [...new FormData(form)],
  };
  session?.setItem(form === target ? asked : kept.place, JSON.stringify(kept));
});
addEventListener('pageshow', ({ persisted }) => {
  for (const form of document.forms) delete form.dataset.sent;
  if (!persisted) return;
  // The back button must not show others on this computer what a person who signed out has read, or has deleted.
  const isOver = !local || Number(local.getItem(signedOut)) > performance.timeOrigin;
  if (isOver || document.querySelector('[action$="/forget"]')) location.reload();
  // It may ask the same question anew, unless the reply to it never arrived.
  if (!keptAt(asked).place) askForm()?.querySelector('[name="form"]')?.remove();
});

/** Where the time of the last sign-out is kept. */
const signedOut = 'signed out';
/** Where a question is kept until its reply arrives: the network may break in between. */
const asked = 'asked';

/** @returns {HTMLFormElement | null} */
const askForm = () => document.querySelector('form.ask');

/** Where a form is kept: each conversation has its own place. @param {HTMLFormElement} form */
const placeOf = (form) => `typed ${new FormData(form).get('thread')}`;

/** What is kept of the person who is signed in now: another tab may have signed the one before out. @param {string} key */
const keptAt = (key) => {
  const kept = JSON.parse(session?.getItem(key) ?? '{}');
  return kept.at > Number(local?.getItem(signedOut)) ? kept : {};
};

/** Puts back what was being typed when a button beside the form was pressed, and a question whose reply never arrived. */
function restoreTyped() {
  const { pathname } = location;
  const isReply = pathname === '/ask' || document.querySelector('main[data-live]');
  if (isReply && keptAt(asked).from !== pathname) session?.removeItem(asked);
  const form = askForm();
  if (!form) return;
  const place = placeOf(form);
  const { fields } = [keptAt(place), keptAt(asked)].find((one) => one.place === place) ?? {};
  session?.removeItem(place);
  for (const [name, value] of fields ?? []) {
    const choice = `[name="${name}"][value="${CSS.escape(value)}"]`;
    const typed = `:is(textarea, select, [type="hidden"])[name="${name}"]`;
    const field = form.querySelector(`${typed}, ${choice}`);
    if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = true;
    else if (field && 'value' in field) field.value = value;
  }
  if (form.querySelector('input:checked')) form.querySelector('details')?.setAttribute('open', '');
}

showLocalTimes(document);
follow();
restoreTyped();
