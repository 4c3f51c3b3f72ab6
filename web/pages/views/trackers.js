// The trackers: a grid of slots coloured by queue, state, health, disk, last heard; drain and
// resume.
import {h, fill, panelOf, setText, visible} from '../dom.js';
import {Table} from '../table.js';
import {get} from '../api.js';
import {amountOf, whole, duration, megabytes, counted, nameOf, DASH} from '../format.js';
import {href, query, setQuery} from '../router.js';
import {colourClass, knowQueues} from '../colours.js';
import {stateBadge} from '../job_cells.js';
import {askOrder} from '../actions.js';
import {empty, loading} from '../states.js';
import {WORDS} from '../words.js';
import {classesOf, areSlots} from '../measure.js';

const SHOWN_SLOTS = 48;
const QUEUES_MS = 60_000;

/** Reads whose attempts hold the slots: `show(known)`, a map from trackers to queues. */
export function watchSlots(page, show) {
  page.use('/slots', {every: 5000}, (value) => {
    if (value) show(new Map(value.map((one) => [one.tracker, one.queues])));
  });
}

const queueOf = new Map(); // of jobs, as last read
let queuesReadAt = 0;

/** Which queues the jobs of these attempts are in: read anew where one is not known. */
export async function queuesOfJobs(attempts, signal) {
  const old = Date.now() - queuesReadAt > QUEUES_MS;
  if (old || attempts.some((one) => !queueOf.has(one.job_number))) {
    queuesReadAt = Date.now();
    const jobs = await get('/jobs?state=RUNNING&limit=2000', {signal});
    if (queueOf.size > 20_000) queueOf.clear();
    for (const job of jobs) queueOf.set(job.number, job.queue);
    for (const one of attempts) if (!queueOf.has(one.job_number)) queueOf.set(one.job_number, '');
  }
  return queueOf;
}

/** What it offers, a bar for each dimension: who has how much of it, and the rest is free. */
function offerBars(cell, tracker, known) {
  const by = known.get(tracker.name) ?? [];
  const signature = JSON.stringify([tracker.offer, tracker.room_for, by]);
  if (cell.signature === signature) return;
  cell.signature = signature;
  fill(
    cell,
    Object.entries(tracker.offer).map(([dimension, {total, used, free}]) => {
      const parts = by.filter((one) => one.dimensions[dimension]);
      const rooms = used - parts.reduce((sum, one) => sum + one.dimensions[dimension], 0);
      const part = (amount, cls) =>
        h('i', {class: cls, vars: {w: (amount / Math.max(1, total)).toFixed(4)}});
      const words =
        `${visible(tracker.name)}: ${whole(used)} of ${amountOf(total, dimension)} in use, ` +
        `${whole(free)} free` +
        parts
          .map((one) => `; ${visible(one.queue)} ${amountOf(one.dimensions[dimension], dimension)}`)
          .join('') +
        (tracker.room_for && rooms > 0
          ? `; ${amountOf(rooms, dimension)} held for the gang of ${tracker.room_for}`
          : '') +
        '.';
      return h(
        'div',
        {class: 'offer', role: 'img', 'aria-label': words, tip: words},
        h('span', {class: 'muted'}, nameOf(dimension)),
        h(
          'span',
          {class: 'offer-bar'},
          parts.map((one) => part(one.dimensions[dimension], colourClass(one.queue))),
          tracker.room_for && rooms > 0 ? part(rooms, 'room') : null,
        ),
        h('span', {class: 'num'}, `${whole(used)}/${whole(total)}`),
      );
    }),
  );
}

/** For whom it is kept, or holds room. */
export function keptFor(tracker) {
  const job = (name) => h('a', {href: href.job(Number(name.replace('job_', '')))}, name);
  return [
    tracker.reserved_for && h('div', {}, job(tracker.reserved_for)),
    tracker.room_for && h('div', {}, job(tracker.room_for), `: ${counted(tracker.rooms, 'room')}`),
  ];
}

export function slotGrid(cell, tracker, known) {
  if (Object.keys(tracker.offer).length) return offerBars(cell, tracker, known);
  const by = (known.get(tracker.name) ?? []).map((one) => [one.queue, one.maps, one.reduces]);
  const signature = JSON.stringify([tracker.total, tracker.used, by]);
  if (cell.signature === signature) return;
  cell.signature = signature;
  const {map_slots: maps, reduce_slots: reduces} = tracker.total;
  const used = tracker.used;
  const words =
    `${visible(tracker.name)}: ${whole(used.map_slots)} of ${counted(maps, 'map slot')} and ` +
    `${whole(used.reduce_slots)} of ${counted(reduces, 'reduce slot')} in use` +
    (by.length
      ? '; ' + by.map(([queue, m, r]) => `${visible(queue)} ${m} map, ${r} reduce`).join('; ')
      : '') +
    '.';
  const squares = (total, taken, index, kind) => {
    const out = [];
    for (const one of by)
      for (let i = 0; i < one[index] && out.length < taken; i++) out.push(one[0]);
    return Array.from({length: total}, (_, i) =>
      h('i', {
        class: `slot ${kind} ` + (i < taken ? 'used ' + (out[i] ? colourClass(out[i]) : '') : ''),
      }),
    );
  };
  fill(
    cell,
    maps + reduces > SHOWN_SLOTS
      ? h(
          'span',
          {class: 'slots-text', tip: words},
          `${whole(used.map_slots)}/${whole(maps)} map, ` +
            `${whole(used.reduce_slots)}/${whole(reduces)} reduce`,
        )
      : h(
          'div',
          {class: 'slot-grid', role: 'img', 'aria-label': words, tip: words},
          squares(maps, used.map_slots, 1, 'map'),
          h('i', {class: 'slot gap'}),
          squares(reduces, used.reduce_slots, 2, 'reduce'),
        ),
  );
}

/** Why a tracker is as it is, in words. */
export function why(tracker) {
  if (tracker.state === 'LOST') return tracker.lost_why ?? 'it is not there';
  if (tracker.order)
    return (
      `${tracker.order} by ${tracker.ordered_by}` +
      (tracker.order_reason ? `: ${tracker.order_reason}` : '') +
      (tracker.outputs
        ? `; ${counted(tracker.outputs, 'map output')} needed by ` +
          `${(tracker.outputs_for ?? []).join(', ')}`
        : '')
    );
  if (tracker.state === 'AWAITED') return 'it has not reported since the JobTracker started';
  if (tracker.state === 'RETURNING') return 'it reports, and is to register again first';
  if (tracker.state === 'SILENT') return 'no heartbeat for a few intervals';
  if (tracker.state === 'FAULTY')
    return `${counted(tracker.faults.length, 'job')} succeeded that it had failed`;
  return tracker.health ?? '';
}

const ordered = (tracker) =>
  ['DRAINING', 'DRAINED', 'STOPPING', 'FAULTY'].includes(tracker.state) || Boolean(tracker.order);

/** It does not answer: no order reaches it, but it can be given up. */
export const isSilent = (tracker) => ['SILENT', 'AWAITED'].includes(tracker.state);

const ACTS = {
  drain: ['Drain…', 'Drain'],
  resume: ['Resume…', 'Resume'],
  lost: ['Lost…', 'Declare lost:'],
  forget: ['Forget…', 'Forget'],
};

/** What is asked of it first. */
function firstOrder(tracker) {
  if (tracker.state === 'LOST') return 'forget';
  if (isSilent(tracker)) return 'lost';
  return ordered(tracker) ? 'resume' : 'drain';
}

function actCell(cell, tracker) {
  const order = firstOrder(tracker);
  if (cell.order === order && cell.tracker === tracker) return;
  cell.order = order;
  cell.tracker = tracker;
  if (!cell.firstChild)
    cell.append(h('button', {on: {click: () => askOrder(cell.tracker, cell.order)}}));
  const [text, label] = ACTS[order];
  setText(cell.firstChild, text);
  cell.firstChild.setAttribute('aria-label', `${label} ${visible(tracker.name)}`);
}

const KEPT = {
  key: 'kept',
  label: 'Kept for',
  width: 'minmax(96px, 1fr)',
  from: 480,
  className: 'lines-cell',
  tip:
    'The job whose large task waits for room here, so that nothing else starts; and rooms held ' +
    'for members of a gang that is to start together.',
  draw: (cell, one) => fill(cell, keptFor(one)),
};
const AMOUNTS =
  'A bar for each dimension as long as what the tracker offers, in the colours of the queues ' +
  'whose attempts have it; striped: held for a gang; the rest is free.';
const SLOTS =
  'A square for each map slot and a disc for each reduce slot, in the colour of the queue whose ' +
  'attempt holds it; empty ones are free.';

export function draw(page) {
  page.title('Trackers');
  let known = new Map();
  let trackers = [];
  let readAt = Date.now();
  const count = h('span', {class: 'muted'});
  const filter = h('input', {
    type: 'search',
    'data-filter': true,
    class: 'wide',
    'aria-label': 'Filter trackers',
    value: query().get('filter') ?? '',
    placeholder: 'Name, host or rack  /',
    on: {
      input: () => {
        setQuery({filter: filter.value.trim()});
        show();
      },
    },
  });
  const chips = h('div', {class: 'chips', role: 'group', 'aria-label': 'State'});
  let classes = classesOf([]);
  const columnsNow = () => [
    {
      key: 'name',
      label: 'Tracker',
      width: `minmax(${areSlots(classes) ? 90 : 60}px, 1fr)`,
      draw: (cell, one) => {
        if (!cell.firstChild) cell.append(h('a', {}));
        cell.firstChild.href = href.tracker(one.name);
        setText(cell.firstChild, visible(one.name));
      },
    },
    {
      key: 'state',
      label: 'State',
      width: areSlots(classes) ? '92px' : 'minmax(60px, 92px)',
      draw: (cell, one) => {
        if (cell.state !== one.state) fill(cell, stateBadge(one.state));
        cell.state = one.state;
      },
    },
    {
      key: 'slots',
      label: areSlots(classes) ? 'Slots' : 'In use',
      width: `minmax(${areSlots(classes) ? 120 : 160}px, 2.4fr)`,
      className: 'slots-wide',
      tip: areSlots(classes) ? SLOTS : AMOUNTS,
      draw: (cell, one) => slotGrid(cell, one, known),
    },
    ...(trackers.some((one) => one.reserved_for || one.room_for) ? [KEPT] : []),
    {
      key: 'attempts',
      label: 'Attempts',
      width: '70px',
      from: 700,
      right: true,
      tip: 'Attempts that it runs now.',
      text: (one) => whole(one.attempts),
    },
    {
      key: 'rack',
      label: 'Rack',
      width: 'minmax(60px, 0.6fr)',
      from: 1180,
      text: (one) => visible(one.rack),
    },
    {
      key: 'host',
      label: 'Host',
      width: 'minmax(90px, 0.8fr)',
      from: 1400,
      text: (one) => `${visible(one.host)}:${one.shuffle_port}`,
    },
    {
      key: 'disk',
      label: 'Free disk',
      width: '84px',
      from: 860,
      right: true,
      tip: WORDS.disk,
      text: (one) => megabytes(one.free_disk_mb),
    },
    {
      key: 'heard',
      label: 'Heard',
      width: '64px',
      from: 620,
      right: true,
      tip: WORDS.heard,
      text: (one) =>
        one.last_heartbeat_ms_ago === null
          ? DASH
          : duration(one.last_heartbeat_ms_ago + (one.state === 'LOST' ? Date.now() - readAt : 0)),
    },
    {
      key: 'why',
      label: 'Health',
      width: 'minmax(120px, 2fr)',
      from: 1080,
      className: 'reason',
      text: (one) => visible(why(one)) || 'ok',
    },
    {key: 'act', label: '', width: '88px', from: 540, right: true, draw: actCell},
  ];
  const table = new Table({
    columns: columnsNow(),
    keyOf: (one) => one.name,
    hrefOf: (one) => href.tracker(one.name),
    label: 'Trackers',
    empty: () =>
      empty(
        trackers.length
          ? 'No tracker is like that.'
          : 'There are no trackers; start one with `weir tracker --jobtracker HOST:PORT`.',
      ),
  });
  const place = h('div', {}, loading());
  const panel = panelOf(place);
  page.root.append(page.heading('Trackers', count), h('div', {class: 'filters'}, filter, chips), panel);
  const relay = (offers) => {
    classes = classesOf([{dimensions: Object.fromEntries(offers.map((name) => [name, 0]))}]);
    table.wideHeight = Math.max(34, 17 * offers.length + 4);
    const columns = columnsNow();
    const keys = columns.map((column) => column.key + column.label).join() + offers;
    if (table.keys === keys) return;
    table.keys = keys;
    table.columns = columns;
    table.signature = null;
    table.layOut();
  };
  const show = () => {
    const state = query().get('state') ?? '';
    const text = filter.value.trim().toLowerCase();
    const states = new Map();
    for (const one of trackers) states.set(one.state, (states.get(one.state) ?? 0) + 1);
    const wanted = ['', ...[...states.keys()].sort()];
    const signature = wanted.map((one) => one + states.get(one)).join() + state;
    if (chips.signature !== signature) {
      chips.signature = signature;
      fill(
        chips,
        wanted.map((one) =>
          h(
            'button',
            {
              'aria-pressed': one === state,
              on: {
                click: () => {
                  setQuery({state: one});
                  show();
                },
              },
            },
            one ? `${one.toLowerCase()} ${whole(states.get(one))}` : 'all',
          ),
        ),
      );
    }
    const sum = (of) => trackers.reduce((all, one) => all + (one.state === 'LOST' ? 0 : of(one)), 0);
    const slots = (key) => counted(sum((one) => one.total[`${key}_slots`]), `${key} slot`);
    const offers = Object.keys(trackers[0]?.offer ?? {});
    setText(
      count,
      `${counted(trackers.length, 'tracker')}, ` +
        (offers.length
          ? offers.map((name) => amountOf(sum((one) => one.offer[name]?.total ?? 0), name)).join(', ')
          : `${slots('map')} and ${slots('reduce')}`),
    );
    relay(offers);
    table.set(
      trackers.filter(
        (one) =>
          (!state || one.state === state) &&
          (!text ||
            [one.name, one.host, one.rack].some((field) => field.toLowerCase().includes(text))),
      ),
    );
  };
  page.use('/queues', {topic: 'queues'}, (value) => {
    if (value) knowQueues(value);
  });
  page.show(place, '/trackers', {topic: 'trackers', merge: true, every: 5000}, (value) => {
    if (!table.mounted) {
      fill(place);
      table.mounted = table.mount(page, panel);
    }
    trackers = value;
    readAt = Date.now();
    show();
  });
  watchSlots(page, (slots) => {
    known = slots;
    table.redraw();
  });
}
