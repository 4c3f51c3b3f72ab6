// The tabs of a job: its attempts on the trackers over time, those that failed, logs, counters.
import {h, fill, setText, visible} from './dom.js';
import {get, read, withQuery} from './api.js';
import {Table} from './table.js';
import {swimlanes} from './swimlane.js';
import {duration, clock, millionths, whole, counted, DASH} from './format.js';
import {href, query, setQuery, go} from './router.js';
import {stateBadge} from './job_cells.js';
import {empty, failure, loading} from './states.js';
import {plainTable} from './plain_table.js';

const LOG_BYTES = 128 * 1024;
const COUNTER_HEADS = [
  ['Group', '', 'muted'],
  ['Counter', '', 'wrap'],
  ['Value', '', 'right'],
];

function stateCell(cell, attempt) {
  if (cell.state === attempt.state) return;
  cell.state = attempt.state;
  fill(cell, stateBadge(attempt.state));
}

function trackerCell(cell, attempt) {
  fill(cell, h('a', {href: href.tracker(attempt.tracker)}, visible(attempt.tracker)));
}

function logLink(attempt) {
  const url = new URL(location.href);
  url.search = new URLSearchParams({tab: 'logs', attempt: attempt.attempt}).toString();
  return h('a', {href: url.pathname + url.search}, attempt.attempt.replace(/^attempt_/, ''));
}

const COLUMNS = [
  {
    key: 'attempt',
    label: 'Attempt',
    width: 'minmax(150px, 1.2fr)',
    className: 'mono',
    draw: (cell, one) => fill(cell, logLink(one)),
  },
  {key: 'state', label: 'State', width: '122px', draw: stateCell},
  {key: 'tracker', label: 'Tracker', width: 'minmax(80px, 1fr)', from: 460, draw: trackerCell},
  {
    key: 'progress',
    label: 'Progress',
    width: '70px',
    from: 560,
    right: true,
    text: (one) => millionths(one.progress_millionths),
  },
  {
    key: 'launched',
    label: 'Launched',
    width: '80px',
    from: 640,
    right: true,
    text: (one) => (one.launched_at_ms ? clock(one.launched_at_ms) : DASH),
  },
  {key: 'ran', label: 'Ran', width: '70px', right: true, text: (one) => duration(one.ran_ms)},
  {
    key: 'why',
    label: 'Diagnostics',
    width: 'minmax(120px, 3fr)',
    from: 760,
    className: 'reason',
    text: (one) => visible(one.diagnostics ?? (one.speculative ? 'speculative' : '')),
  },
];

export function drawAttempts(page, place, path) {
  const lanes = swimlanes();
  const lanesPanel = h(
    'section',
    {class: 'panel'},
    h(
      'div',
      {class: 'panel-head'},
      h(
        'h2',
        {
          tabindex: 0,
          tip:
            'Each bar is an attempt on a slot of a tracker. Steps are waves, long bars ' +
            'stragglers, red ones failed or were killed.',
        },
        'Attempts on trackers over time',
      ),
    ),
    lanes.element,
  );
  const count = h('span', {class: 'muted'});
  const listPanel = h(
    'section',
    {class: 'panel'},
    h('div', {class: 'panel-head'}, h('h2', {}, 'Attempts'), count),
  );
  const note = h('div', {}, loading());
  const table = new Table({
    columns: COLUMNS,
    keyOf: (one) => one.attempt,
    hrefOf: () => '',
    label: 'Attempts',
    empty: () => empty('No attempt of it is known.'),
  });
  place.append(note, lanesPanel, listPanel);
  table.mount(page, listPanel);
  const resource = page.show(note, path + '/tasks', {topic: 'jobs', every: 5000}, (attempts) => {
    fill(note);
    setText(count, counted(attempts.length, 'attempt'));
    lanes.set(attempts, Date.now());
    lanesPanel.hidden = !attempts.length;
    table.set([...attempts].sort((a, b) => b.launched_at_ms - a.launched_at_ms));
  });
  return () => page.drop(resource);
}

export function drawFailures(page, place, path) {
  const panel = h('section', {class: 'panel'}, loading());
  place.append(panel);
  const resource = page.show(panel, path + '/tasks', {every: 8000}, (attempts) => {
    const failed = attempts.filter((one) => one.state === 'FAILED');
    fill(
      panel,
      h(
        'div',
        {class: 'panel-head'},
        h('h2', {}, 'Failed attempts'),
        h('span', {class: 'muted'}, whole(failed.length)),
      ),
      failed.length
        ? failed
            .slice(-50)
            .reverse()
            .map((one) =>
              h(
                'div',
                {class: 'failed'},
                h(
                  'p',
                  {},
                  h('span', {class: 'mono'}, logLink(one)),
                  ' on ',
                  h('a', {href: href.tracker(one.tracker)}, visible(one.tracker)),
                  `, ${clock(one.launched_at_ms)}, after ${duration(one.ran_ms)}`,
                ),
                h('pre', {class: 'log'}, logText(one.diagnostics ?? 'No cause was recorded.')),
              ),
            )
        : empty('No attempt of it has failed.'),
    );
  });
  return () => page.drop(resource);
}

/** A log as text: line ends and tabs stay, other control characters are shown. */
function logText(text) {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}

export function drawLogs(page, place, path) {
  const chosen = h('select', {'aria-label': 'Attempt'});
  const streams = h('div', {class: 'chips', role: 'group', 'aria-label': 'Stream'});
  const tail = h('input', {type: 'checkbox', checked: true});
  const text = h('pre', {class: 'log', tabindex: 0, 'aria-label': 'Log'});
  const note = h('p', {class: 'muted'});
  place.append(
    h(
      'section',
      {class: 'panel'},
      h('div', {class: 'filters'}, chosen, streams, h('label', {class: 'toggle'}, tail, 'follow')),
      note,
      text,
    ),
  );
  let stream = query().get('stream') ?? 'stderr';
  const load = async () => {
    if (!chosen.value || !text.isConnected) return;
    for (const chip of streams.children)
      chip.setAttribute('aria-pressed', chip.textContent === stream);
    const mine = chosen.value + stream;
    try {
      const {value} = await read(
        withQuery(`${path}/logs/${encodeURIComponent(chosen.value)}`, {stream}),
        {text: true, signal: page.signal, headers: {Range: `bytes=-${LOG_BYTES}`}},
      );
      if (mine !== chosen.value + stream) return;
      setText(
        note,
        value
          ? `The last ${whole(value.length)} characters.`
          : 'It has written nothing to this stream.',
      );
      const atEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 8;
      setText(text, logText(value));
      if (tail.checked && atEnd) text.scrollTop = text.scrollHeight;
    } catch (error) {
      if (error.name === 'AbortError') return;
      setText(
        note,
        error.status === 416 ? 'It has written nothing to this stream.' : visible(error.message),
      );
      setText(text, '');
    }
  };
  for (const name of ['stderr', 'stdout', 'syslog']) {
    streams.append(
      h(
        'button',
        {
          on: {
            click: () => {
              stream = name;
              setQuery({stream});
              load();
            },
          },
        },
        name,
      ),
    );
  }
  chosen.addEventListener('change', () => {
    setQuery({attempt: chosen.value});
    load();
  });
  const timer = setInterval(() => tail.checked && !document.hidden && load(), 3000);
  page.signal.addEventListener('abort', () => clearInterval(timer));
  get(path + '/tasks', {signal: page.signal})
    .then((attempts) => {
      const wanted = query().get('attempt');
      const list = [...attempts].sort((a, b) => b.launched_at_ms - a.launched_at_ms).slice(0, 2000);
      fill(
        chosen,
        list.map((one) =>
          h(
            'option',
            {value: one.attempt},
            `${one.attempt} ${one.state.toLowerCase()} on ${one.tracker}`,
          ),
        ),
      );
      chosen.value =
        (
          list.find((one) => one.attempt === wanted) ??
          list.find((one) => one.state === 'FAILED') ??
          list.find((one) => one.state === 'RUNNING') ??
          list[0]
        )?.attempt ?? '';
      if (!list.length) setText(note, 'No attempt of it is known, so there are no logs.');
      load();
    })
    .catch(
      (error) =>
        error.name !== 'AbortError' &&
        fill(
          note,
          failure(error, () => go(location.href)),
        ),
    );
  return () => clearInterval(timer);
}

export function drawCounters(page, place, path) {
  const panel = h('section', {class: 'panel'}, loading());
  place.append(panel);
  const rows = (group, values) =>
    Object.entries(values).flatMap(([name, value]) =>
      value !== null && typeof value === 'object'
        ? rows(group ? `${group}.${name}` : name, value)
        : [[visible(group), visible(name), whole(value)]],
    );
  const resource = page.show(panel, path + '/counters', {every: 5000}, (counters) => {
    const list = rows('', counters?.counters ?? {});
    fill(
      panel,
      list.length
        ? plainTable(COUNTER_HEADS, list)
        : empty('No counters yet: they come with the first attempt that ends.'),
    );
  });
  return () => page.drop(resource);
}
