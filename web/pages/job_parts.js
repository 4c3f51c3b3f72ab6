// The tabs of a job: its attempts on the trackers over time, those that failed, counters.
import {h, fill, oneLine, panelOf, setText, visible} from './dom.js';
import {Table} from './table.js';
import {swimlanes} from './swimlane.js';
import {duration, clock, millionths, whole, counted, DASH} from './format.js';
import {href} from './router.js';
import {stateBadge} from './job_cells.js';
import {logText} from './job_log.js';
import {empty, loading} from './states.js';
import {plainTable} from './plain_table.js';
import {WORDS} from './words.js';

const COUNTER_HEADS = [['Group', '', 'muted'], ['Counter', '', 'wrap'], ['Value', WORDS.counter, 'right']];

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
    width: 'minmax(124px, 1.2fr)',
    className: 'mono',
    draw: (cell, one) => fill(cell, logLink(one)),
  },
  {key: 'state', label: 'State', width: '122px', draw: stateCell},
  {key: 'tracker', label: 'Tracker', width: 'minmax(80px, 1fr)', from: 460, draw: trackerCell},
  {
    key: 'progress',
    label: 'Progress',
    tip: WORDS.attemptProgress,
    width: '70px',
    from: 560,
    right: true,
    text: (one) => millionths(one.progress_millionths),
  },
  {
    key: 'launched',
    label: 'Launched',
    tip: WORDS.attemptLaunched,
    width: '80px',
    from: 640,
    right: true,
    text: (one) => (one.launched_at_ms ? clock(one.launched_at_ms) : DASH),
  },
  {
    key: 'ran',
    label: 'Ran',
    tip: WORDS.attemptRan,
    width: '60px',
    right: true,
    text: (one) => duration(one.ran_ms),
  },
  {
    key: 'why',
    label: 'Diagnostics',
    width: 'minmax(120px, 3fr)',
    from: 760,
    className: 'reason',
    text: (one) => visible(oneLine(one.diagnostics) ?? (one.speculative ? 'speculative' : '')),
  },
];

export function drawAttempts(page, place, path, groups) {
  const lanes = swimlanes();
  const lanesPanel = panelOf(
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
  const listPanel = panelOf(h('div', {class: 'panel-head'}, h('h2', {}, 'Attempts'), count));
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
    lanes.set(attempts, Date.now(), groups());
    lanesPanel.hidden = !attempts.length;
    table.set([...attempts].sort((a, b) => b.launched_at_ms - a.launched_at_ms));
  });
  return () => page.drop(resource);
}

export function drawFailures(page, place, path) {
  const panel = panelOf(loading());
  place.append(panel);
  const resource = page.show(panel, path + '/tasks', {every: 8000}, (attempts) => {
    const failed = attempts.filter((one) => one.state === 'FAILED');
    fill(
      panel,
      h(
        'div',
        {class: 'panel-head'},
        h('h2', {}, 'Failed attempts'),
        h('span', {class: 'muted'}, counted(failed.length, 'attempt')),
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
                  // Of those from before the JobTracker's start it is not known.
                  one.launched_at_ms
                    ? `, ${clock(one.launched_at_ms)}, after ${duration(one.ran_ms)}`
                    : null,
                ),
                h('pre', {class: 'log'}, logText(one.diagnostics ?? 'No cause was recorded.')),
              ),
            )
        : empty('No attempt of it has failed.'),
    );
  });
  return () => page.drop(resource);
}

export function drawCounters(page, place, path, over) {
  const panel = panelOf(loading());
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
        : empty(
            over()
              ? 'It has no counters: no attempt of it got so far as to count anything.'
              : 'No counters yet: they come with the first attempt that ends.',
          ),
    );
  });
  return () => page.drop(resource);
}
