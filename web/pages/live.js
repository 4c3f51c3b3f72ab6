// What keeps a page up to date: one stream of server-sent events for what the page asked for, and
// polling where there is no stream. When the server does not answer, a banner says since when;
// once it answers again everything on the page is read anew.
import {onReachable, read} from './api.js';
import {seconds} from './format.js';
import {h, fill} from './dom.js';

const POLL_MS = 4000;
const PROBE_MS = 2000;
const RELOADED_KEY = 'weir.reloaded';
const RELOAD_LEAST_MS = 10_000; // what fails again at once is shown, not loaded for ever
const TOPICS = ['queues', 'jobs', 'trackers', 'policy', 'settings', 'cluster'];

let source = null;
let wanted = '';
let streaming = false;
let downSince = 0;
let reopenTimer = 0;
let page = null;
let lacking = null; // the signal of a page that could not be loaded

export function liveState() {
  return downSince ? 'down' : streaming ? 'live' : 'polling';
}

function changedState() {
  window.dispatchEvent(new Event('weir-live'));
}

function showBanner() {
  const banner = document.getElementById('banner');
  if (!downSince) {
    if (banner.firstChild) fill(banner);
    return;
  }
  const text =
    `The JobTracker does not answer since ${seconds(Date.now() - downSince)}, ` +
    'trying again. What you see is from before.';
  if (banner.firstChild) banner.firstChild.lastChild.textContent = text;
  else
    fill(banner, h('p', {class: 'banner bad'}, h('span', {class: 'spin', 'aria-hidden': 'true'}), text));
}

async function probe() {
  try {
    const answer = await fetch('/healthz', {cache: 'no-store', signal: AbortSignal.timeout(5000)});
    if (answer.ok) isReachable(true);
  } catch {
    /* Still down: the next probe comes. */
  }
}

function isReachable(yes) {
  if (yes === !downSince) return;
  downSince = yes ? 0 : Date.now();
  showBanner();
  changedState();
  document.documentElement.classList.toggle('stale', !yes);
  if (!yes) return;
  if (lacking && !lacking.aborted) return location.reload();
  open();
  page?.refresh();
}

onReachable(isReachable);
setInterval(showBanner, 1000);
setInterval(() => downSince && probe(), PROBE_MS);
setInterval(() => {
  if (!downSince && !streaming && !document.hidden) page?.refresh();
}, POLL_MS);
// A browser has six connections to a server for all its tabs: one that nobody sees gives its stream
// back, and one that is left (and perhaps kept for the way back) does, too.
document.addEventListener('visibilitychange', () => (document.hidden ? close() : wake()));
window.addEventListener('pagehide', close);
window.addEventListener('pageshow', (event) => event.persisted && wake());

function wake() {
  if (!source) open();
  page?.refresh();
}

function close() {
  source?.close();
  source = null;
  streaming = false;
  clearTimeout(reopenTimer);
}

function open() {
  close();
  if (!wanted || !window.EventSource || document.hidden) return changedState();
  const mine = (source = new EventSource('/api/v1/events?' + wanted));
  mine.onopen = () => {
    streaming = true;
    changedState();
  };
  mine.onerror = () => {
    streaming = false;
    changedState();
    probeIfGone();
    if (mine.readyState !== EventSource.CLOSED || mine !== source) return;
    reopenTimer = setTimeout(open, 10_000);
  };
  for (const topic of TOPICS) {
    mine.addEventListener(topic, (event) => {
      let data = {};
      try {
        data = JSON.parse(event.data);
      } catch {
        /* A hint without a body is a hint all the same. */
      }
      page?.heard(topic, data);
    });
  }
  mine.addEventListener('reload', () => page?.refresh());
}

async function probeIfGone() {
  try {
    await fetch('/healthz', {cache: 'no-store', signal: AbortSignal.timeout(5000)});
    return true;
  } catch {
    isReachable(false);
    return false;
  }
}

/** The page could not be loaded: all is loaded anew once the server answers, unless it ends. */
export async function reloadWhenBack(signal, asked = false) {
  lacking = signal;
  const before = Number(sessionStorage.getItem(RELOADED_KEY) ?? 0);
  if (!(await probeIfGone()) || signal.aborted) return;
  if (!asked && Date.now() - before < RELOAD_LEAST_MS) return;
  sessionStorage.setItem(RELOADED_KEY, Date.now());
  location.reload();
}

/** Follows what this page wants to hear of; the stream is kept if it is the same as before. */
export function follow(newPage, topics, jobs = []) {
  page = newPage;
  const query = new URLSearchParams();
  if (topics.length) query.set('topics', [...topics].sort().join(','));
  if (jobs.length) query.set('jobs', jobs.join(','));
  const text = topics.length ? query.toString() : '';
  if (text === wanted && source) return;
  wanted = text;
  open();
}

/** A list or record of the API that stays up to date: see `Page.use`. */
export class Resource {
  constructor(page, path, options, shown) {
    Object.assign(this, {page, path, shown, key: 'name', every: 0, least: 1000, ...options});
    this.value = undefined;
    this.error = null;
    this.busy = false;
    this.again = false;
    this.readAt = 0;
  }

  async refresh() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      const {value, fresh, headers} = await read(this.path, {signal: this.page.signal});
      this.readAt = Date.now();
      if (fresh || this.value === undefined || this.error || this.merged) {
        this.value = value;
        this.headers = headers;
        this.merged = false;
        this.error = null;
        this.show();
      }
    } catch (failure) {
      if (failure.name === 'AbortError' || this.page.signal.aborted) return;
      this.error = failure;
      // What was shown stays while the server is away; the banner says so.
      if (failure.status || this.value === undefined) this.show();
    } finally {
      this.busy = false;
    }
    if (this.again) {
      this.again = false;
      this.later(1000);
    }
  }

  later(ms) {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (!this.page.signal.aborted) this.refresh();
    }, ms);
  }

  show() {
    if (!this.page.signal.aborted) this.shown(this.value, this.error, this);
  }

  /** A change that the stream told: merged into a list, or a reason to read again. */
  heard(data) {
    if (!Array.isArray(data.changed) || !Array.isArray(this.value) || !this.merge) {
      return this.later(Math.max(50, this.readAt + this.least - Date.now()));
    }
    const removed = new Set(data.removed ?? []);
    const changed = new Map(data.changed.map((item) => [item[this.key], item]));
    const next = [];
    for (const item of this.value) {
      const id = item[this.key];
      if (removed.has(id)) continue;
      next.push(changed.get(id) ?? item);
      changed.delete(id);
    }
    if (changed.size) return this.later(Math.max(50, this.readAt + this.least - Date.now()));
    this.value = next;
    this.merged = true;
    this.show();
  }
}
