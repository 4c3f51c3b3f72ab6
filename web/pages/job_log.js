// What an attempt has written: a window of its log, which is at the end and follows it, or at any
// other part. Where it is stands in the address.
import {h, fill, panelOf, setText, visible} from './dom.js';
import {get, read, withQuery} from './api.js';
import {whole, counted} from './format.js';
import {query, setQuery, go} from './router.js';
import {failure} from './states.js';

const WINDOW = 128 * 1024;
const OVERLAP = 1024; // of neighbouring windows, so that a line is whole in one of them
const STREAMS = ['stderr', 'stdout', 'syslog'];

/** A log as text: line ends and tabs stay, other control characters are shown. */
export function logText(text) {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}

/** The attempts to choose from, and the one that is looked at first. */
function choices(attempts) {
  const list = [...attempts].sort((a, b) => b.launched_at_ms - a.launched_at_ms).slice(0, 2000);
  const first =
    list.find((one) => one.attempt === query().get('attempt')) ??
    list.find((one) => one.state === 'FAILED') ??
    list.find((one) => one.state === 'RUNNING') ??
    list[0];
  const options = list.map((one) =>
    h('option', {value: one.attempt}, `${one.attempt} ${one.state.toLowerCase()} on ${visible(one.tracker)}`),
  );
  return {options, first: first?.attempt ?? ''};
}

class LogView {
  constructor(page, path) {
    Object.assign(this, {page, path, begin: 0, size: 0});
    const at = Number.parseInt(query().get('at') ?? '', 10);
    this.at = at >= 0 ? at : null; // where the window begins; null: it is at the end
    this.stream = STREAMS.includes(query().get('stream')) ? query().get('stream') : STREAMS[0];
    this.attempts = h('select', {class: 'wide', 'aria-label': 'Attempt'});
    this.streams = h('div', {class: 'chips', role: 'group', 'aria-label': 'Stream'});
    for (const name of STREAMS)
      this.streams.append(h('button', {on: {click: () => this.choose(name)}}, name));
    this.tail = h('input', {type: 'checkbox', checked: this.at === null});
    this.tail.addEventListener('change', () => this.tail.checked && this.go(null, 'end'));
    this.text = h('pre', {class: 'log', tabindex: 0, 'aria-label': 'Log'});
    this.note = h('p', {class: 'muted', role: 'status'});
    this.raw = h('a', {target: '_blank', rel: 'noopener'}, 'as text');
    const step = (text, tip, way) => h('button', {tip, on: {click: way}}, text);
    this.ways = [
      step('First', 'The beginning of the log.', () => this.go(0, 'start')),
      step('Earlier', 'What was written before this.', () =>
        this.go(Math.max(0, this.begin - WINDOW + OVERLAP), 'end'),
      ),
      step('Later', 'What was written after this.', () => this.later()),
      step('Last', 'The end of the log.', () => this.go(null, 'end')),
    ];
    this.attempts.addEventListener('change', () => {
      setQuery({attempt: this.attempts.value});
      this.go(null, 'end');
    });
    const follow = h('label', {class: 'toggle'}, this.tail, 'follow');
    this.element = panelOf(
      h('div', {class: 'filters'}, this.attempts, this.streams, follow),
      h('div', {class: 'filters log-place'}, this.ways, this.raw, this.note),
      this.text,
    );
  }

  choose(stream) {
    this.stream = stream;
    setQuery({stream});
    this.go(null, 'end');
  }

  later() {
    const next = this.begin + WINDOW - OVERLAP;
    this.go(next + WINDOW >= this.size ? null : next, 'start');
  }

  /** To another window; `side` of it is in view first. */
  go(at, side) {
    this.at = at;
    this.tail.checked &&= at === null;
    setQuery({at});
    return this.load(side);
  }

  async load(side = null) {
    const attempt = this.attempts.value;
    if (!attempt || !this.text.isConnected) return;
    for (const chip of this.streams.children)
      chip.setAttribute('aria-pressed', chip.textContent === this.stream);
    const path = withQuery(`${this.path}/logs/${encodeURIComponent(attempt)}`, {
      stream: this.stream,
    });
    this.raw.href = '/api/v1' + path;
    const asked = [attempt, this.stream, this.at].join();
    const bytes = this.at === null ? `-${WINDOW}` : `${this.at}-${this.at + WINDOW - 1}`;
    try {
      const {value, headers} = await read(path, {
        text: true,
        signal: this.page.signal,
        headers: {Range: `bytes=${bytes}`},
      });
      if (asked !== [this.attempts.value, this.stream, this.at].join()) return;
      this.show(value, headers, side);
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (error.status === 416 && this.at !== null) return this.go(null, 'end');
      setText(this.note, visible(error.message));
      setText(this.text, '');
    }
  }

  show(value, headers, side) {
    const {text} = this;
    this.begin = Number(headers.get('X-Weir-Log-Begin') ?? 0);
    this.size = Number(headers.get('X-Weir-Log-Size') ?? 0);
    const end = Math.min(this.size, this.begin + WINDOW);
    setText(
      this.note,
      !this.size
        ? 'It has written nothing to this stream.'
        : this.begin || end < this.size
          ? `Bytes ${whole(this.begin)} to ${whole(end)} of ${whole(this.size)}.`
          : `All of it, ${counted(this.size, 'byte')}.`,
    );
    const [first, earlier, later, last] = this.ways;
    first.disabled = earlier.disabled = !this.begin;
    later.disabled = last.disabled = end >= this.size;
    const atEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 8;
    setText(text, logText(value));
    if (side === 'start') text.scrollTop = 0;
    else if (side === 'end' || (this.tail.checked && atEnd)) text.scrollTop = text.scrollHeight;
  }
}

export function drawLogs(page, place, path) {
  const view = new LogView(page, path);
  place.append(view.element);
  const timer = setInterval(() => view.tail.checked && !document.hidden && view.load(), 3000);
  page.signal.addEventListener('abort', () => clearInterval(timer));
  get(path + '/tasks', {signal: page.signal})
    .then((attempts) => {
      const {options, first} = choices(attempts);
      fill(view.attempts, options);
      view.attempts.value = first;
      if (!first) setText(view.note, 'No attempt of it is known, so there are no logs.');
      return view.load(view.at === null ? 'end' : 'start');
    })
    .catch((error) => error.name !== 'AbortError' && fill(view.note, failure(error, () => go(location.href))));
  return () => clearInterval(timer);
}
