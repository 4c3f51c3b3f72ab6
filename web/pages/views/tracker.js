// One tracker: its slots, state, what was ordered of it, and its attempts.
import {h, fill, panelOf, setText, visible} from '../dom.js';
import {Table} from '../table.js';
import {slotGrid, isSilent, keptFor, why, watchSlots, queuesOfJobs} from './trackers.js';
import {stateBadge, queueColumn} from '../job_cells.js';
import {askOrder} from '../actions.js';
import {amountOf, duration, megabytes, whole, counted, millionths, moment} from '../format.js';
import {clock, nameOf, DASH} from '../format.js';
import {href} from '../router.js';
import {empty, loading} from '../states.js';
import {WORDS} from '../words.js';
import {showFacts} from '../plain_table.js';

const COLUMNS = [
  {
    key: 'attempt',
    label: 'Attempt',
    width: 'minmax(150px, 1.4fr)',
    className: 'mono',
    draw: (cell, one) =>
      fill(cell, h('a', {href: `/jobs/${one.job_number}?tab=logs&attempt=${one.attempt}`}, one.attempt)),
  },
  {
    key: 'job',
    label: 'Job',
    width: '90px',
    draw: (cell, one) =>
      fill(cell, h('a', {href: href.job(one.job_number)}, 'job_' + String(one.job_number).padStart(4, '0'))),
  },
  queueColumn({least: 90, from: 560}),
  {
    key: 'state',
    label: 'State',
    width: '120px',
    from: 460,
    draw: (cell, one) => fill(cell, stateBadge(one.state)),
  },
  {
    key: 'progress',
    label: 'Progress',
    tip: WORDS.attemptProgress,
    width: '70px',
    from: 660,
    right: true,
    text: (one) => millionths(one.progress_millionths),
  },
  {
    key: 'launched',
    label: 'Launched',
    tip: WORDS.attemptLaunched,
    width: '80px',
    from: 740,
    right: true,
    text: (one) => (one.launched_at_ms ? clock(one.launched_at_ms) : DASH),
  },
  {
    key: 'ran',
    label: 'Runs',
    tip: WORDS.attemptRan,
    width: '70px',
    from: 420,
    right: true,
    text: (one) => duration(one.ran_ms),
  },
];

const slotsInUse = ({used, total}) => [
  'slots in use',
  `${whole(used.map_slots)} of ${whole(total.map_slots)} map, ` +
    `${whole(used.reduce_slots)} of ${whole(total.reduce_slots)} reduce`,
  'Slots that its attempts hold, of those that it offers.',
];

/** What it offers, for whom it is kept, and what jobs may require of it. */
function offered(one, offer) {
  const labels = Object.entries(one.labels).map(([key, value]) => visible(`${key}=${value}`));
  return [
    ...offer.map(([name, {total, used, free}]) => [
      nameOf(name),
      `${whole(used)} of ${amountOf(total, name)} in use, ${whole(free)} free`,
      'What its attempts hold, of what it offers.',
    ]),
    ...(one.reserved_for || one.room_for
      ? [['kept for', h('span', {}, keptFor(one)), 'Nothing else starts in what is kept.']]
      : []),
    ...(labels.length ? [['labels', labels.join(', '), 'What jobs may require.']] : []),
  ];
}

export function draw(page) {
  const name = page.params.name;
  page.title(`tracker ${visible(name)}`);
  const path = '/trackers/' + encodeURIComponent(name);
  let tracker = null;
  const badge = h('span', {});
  const order = (what, label, className = '') =>
    h('button', {class: className, on: {click: () => tracker && askOrder(tracker, what)}}, label);
  const acts = {
    drain: order('drain', 'Drain…'),
    resume: order('resume', 'Resume…'),
    stop: order('stop', 'Stop…'),
    now: order('stop now', 'Stop now…'),
    lost: order('lost', 'Declare lost…', 'danger'),
    forget: order('forget', 'Forget…'),
  };
  const buttons = h('div', {class: 'buttons'}, Object.values(acts));
  const factsPlace = h('div', {}, loading());
  const grid = h('div', {});
  const count = h('span', {class: 'muted'});
  const note = h('div', {});
  const list = panelOf(h('div', {class: 'panel-head'}, h('h2', {}, 'Attempts that it runs'), count), note);
  let known = new Map();
  page.root.append(
    page.heading(
      [h('a', {href: '/trackers'}, 'Trackers'), ' / ', visible(name)],
      badge,
      h('span', {class: 'space'}),
      buttons,
    ),
    panelOf(grid, factsPlace),
    list,
  );
  const table = new Table({
    columns: COLUMNS,
    keyOf: (one) => one.attempt,
    hrefOf: () => '',
    label: 'Attempts',
    empty: () => empty('It runs nothing now.'),
  });
  table.mount(page, list);
  const beside = [buttons, grid, list];
  page.show(factsPlace, path, {topic: 'trackers', every: 3000, beside}, (one) => {
    tracker = one;
    if (badge.state !== one.state) fill(badge, stateBadge(one.state));
    badge.state = one.state;
    const ordered = Boolean(one.order) || one.state === 'FAULTY';
    const gone = one.state === 'LOST';
    acts.drain.hidden = ordered || gone;
    acts.resume.hidden = !ordered || gone;
    acts.stop.hidden = acts.now.hidden = gone;
    acts.lost.hidden = !isSilent(one);
    acts.forget.hidden = !gone;
    slotGrid(grid, one, known);
    const offer = Object.entries(one.offer);
    const facts = [
      ['why', visible(why(one)) || 'ok'],
      ...(offer.length ? offered(one, offer) : [slotsInUse(one)]),
      ['host', `${visible(one.host)}:${one.shuffle_port}`],
      ['rack', visible(one.rack)],
      [
        'heard',
        one.last_heartbeat_ms_ago === null
          ? 'not since the JobTracker started'
          : `${duration(one.last_heartbeat_ms_ago)} ago`,
        WORDS.heard,
      ],
      ['free disk', megabytes(one.free_disk_mb), WORDS.disk],
    ];
    if (one.total.memory_mb && !offer.length)
      facts.push([
        'memory',
        `${megabytes(one.used.memory_mb)} of ${megabytes(one.total.memory_mb)}`,
        'Memory that its attempts were promised, of what it offers.',
      ]);
    if (one.total.vcores && !offer.length)
      facts.push([
        'cores',
        `${whole(one.used.vcores)} of ${whole(one.total.vcores)}`,
        'Cores that its attempts were promised, of what it offers.',
      ]);
    if (one.order)
      facts.push(
        ['ordered', `${one.order} by ${visible(one.ordered_by)}, ${moment(one.ordered_at_ms)}`],
        [
          'left to do',
          one.outputs
            ? `${counted(one.outputs, 'map output')} needed`
            : one.attempts
              ? counted(one.attempts, 'attempt')
              : 'nothing',
          'What keeps it from being done with what was ordered.',
        ],
      );
    for (const fault of one.faults) facts.push(['fault', moment(fault)]);
    if (one.back_at_ms) facts.push(['back', moment(one.back_at_ms)]);
    facts.push(['protections', h('ul', {class: 'bare'}, one.protections.map((line) => h('li', {}, visible(line))))]);
    showFacts(factsPlace, facts);
  });
  page.show(note, path + '/attempts', {topic: 'trackers', every: 3000}, async (attempts) => {
    fill(note);
    setText(count, counted(attempts.length, 'attempt'));
    const queueOf = await queuesOfJobs(attempts, page.signal).catch(() => new Map());
    if (page.signal.aborted) return;
    for (const one of attempts) one.queue ??= queueOf.get(one.job_number);
    table.set(attempts);
  });
  watchSlots(page, (slots) => {
    known = slots;
    if (tracker) slotGrid(grid, tracker, known);
  });
}
