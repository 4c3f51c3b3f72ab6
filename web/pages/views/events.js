// What was decided, newest first: launches, kills with reason and for whom, claims, refusals,
// switches; filtered by queue, job and kind.
import {h, fill, panelOf, visible} from '../dom.js';
import {read, withQuery} from '../api.js';
import {Table} from '../table.js';
import {moment, duration, counted, amountOf} from '../format.js';
import {href, query, setQuery} from '../router.js';
import {knowQueues} from '../colours.js';
import {queueColumn} from '../job_cells.js';
import {empty, failure, loading} from '../states.js';

const KINDS = [
  ['', 'all'],
  ['launch,compute,adopt', 'launches'],
  ['finish,fail', 'ends'],
  ['reserve,unreserve,gang_hold,gang_release,gang_start', 'room'],
  ['kill', 'kills'],
  ['claim,claim_met,claim_dropped,claim_resumed', 'claims'],
  ['submit,job,move,priority,release', 'jobs'],
  ['refused', 'refusals'],
  ['policy,settings,queue,start', 'switches'],
  ['tracker,reopen,duty_passed_on', 'trackers'],
];
const TONES = {
  kill: 'bad',
  fail: 'bad',
  refused: 'warn',
  claim: 'wait',
  launch: 'ok',
  claim_met: 'ok',
  policy: 'warn',
  settings: 'warn',
};
const CLAIMS = {
  claim: 'is owed',
  claim_met: 'has got',
  claim_dropped: 'no longer wants',
  claim_resumed: 'is owed again',
};
const JOB_STATES = {
  SUCCEEDED: 'has succeeded',
  FAILED: 'has failed',
  KILLED: 'was killed',
  RUNNING: 'may run',
  PENDING: 'is pending',
  WAITING: 'waits',
  HELD: 'is held',
};
const PAGE = 300;

/** One decision as a sentence of text and links. */
function sentence(one) {
  const queue = (name) => (name ? h('a', {href: href.queue(name)}, visible(name)) : 'nobody');
  const job = one.job
    ? h('a', {href: '/jobs/' + encodeURIComponent(one.job)}, visible(one.job))
    : null;
  const task = one.task ? ` ${one.task}` : '';
  const on = one.tracker
    ? [' on ', h('a', {href: href.tracker(one.tracker)}, visible(one.tracker))]
    : [];
  const ran = one.ran_ms !== undefined ? `, ran ${duration(one.ran_ms)}` : '';
  const reason = one.reason ? `: ${visible(String(one.reason).replaceAll('_', ' '))}` : '';
  switch (one.event) {
    case 'launch':
      return [job, task, ' starts', on, ` (${one.locality}${one.speculative ? ', speculative' : ''})`];
    case 'adopt':
      return [job, task, ' runs', on, ', since before the JobTracker started'];
    case 'start':
      return [`The JobTracker (${visible(one.what)}) started`, reason];
    case 'compute':
      return [job, task, ' gets its slot', on];
    case 'finish':
      return [job, task, ' is done', on, ran];
    case 'fail':
      return [job, task, ' failed', on, ran];
    case 'kill':
      return [job, task, ' is killed', on, reason, one.for ? [', for ', queue(one.for)] : '', ran];
    case 'submit':
      return [job, ' is submitted by ', h('bdi', {}, visible(one.user))];
    case 'job':
      return [job, ` ${JOB_STATES[one.state] ?? 'is ' + visible(one.state)}`, reason];
    case 'move':
      return [job, ' is moved to ', queue(one.queue), one.pool ? `, pool ${visible(one.pool)}` : ''];
    case 'priority':
      return [job, ` has priority ${visible(one.priority)}`];
    case 'policy':
      return [`The policy is ${visible(one.policy)}`];
    case 'settings':
      return ['New settings are in force'];
    case 'queue':
      return [queue(one.queue), ` is ${visible(one.state)}`];
    case 'tracker':
      return [h('a', {href: href.tracker(one.tracker)}, visible(one.tracker)), ` is ${visible(one.state)}`];
    case 'refused':
      return [`${visible(one.what)} refused`, reason];
    case 'gang_start':
      return [job, ` starts ${counted(one.tasks, 'task')} at once`];
    default:
      if (CLAIMS[one.event])
        return [queue(one.queue), ` ${CLAIMS[one.event]} ${amountOf(one.slots, one.class)}`];
      return [[job, task, on, reason]];
  }
}

/** From when on nothing is missing, and what is there of the time before. */
function completeness(since) {
  const kind = query().get('kind');
  const rest = kind
    ? ''
    : ' Of the time before, launches and ends of tasks and refusals are not kept; the rest is.';
  return `Nothing is missing since ${moment(since)}.${rest}`;
}

export function draw(page) {
  page.title('Events');
  let items = [];
  let cursor = null;
  let busy = false;
  let generation = 0;
  const panel = panelOf();
  const note = h('div', {}, loading());
  const columns = [
    {key: 't', label: 'When', width: '76px', text: (one) => moment(one.t)},
    {
      key: 'kind',
      label: 'Kind',
      width: '104px',
      from: 480,
      draw: (cell, one) =>
        fill(cell, h('span', {class: 'badge ' + (TONES[one.event] ?? 'done')}, one.event.replaceAll('_', ' '))),
    },
    {
      key: 'what',
      label: 'What',
      width: 'minmax(180px, 4fr)',
      className: 'whole',
      draw: (cell, one) => fill(cell, h('span', {}, sentence(one))),
    },
    queueColumn({least: 100, from: 700}),
    {
      key: 'user',
      label: 'User',
      width: 'minmax(60px, 0.5fr)',
      from: 900,
      text: (one) => visible(one.user ?? ''),
    },
  ];
  const table = new Table({
    columns,
    rowHeight: 30,
    narrow: {below: 620, rowHeight: 46},
    keyOf: (one) => one.number,
    label: 'Decisions',
    onEnd: () => more(),
    empty: () => empty('Nothing of that kind is remembered.'),
  });
  const filters = () => ({
    queue: query().get('queue'),
    job: query().get('job'),
    kind: query().get('kind'),
    since: query().get('since'),
  });
  const fetchPage = async (at, limit) => {
    const mine = generation;
    const {value, headers} = await read(
      withQuery('/decisions', {...filters(), limit, cursor: at}),
      {signal: page.signal},
    );
    if (mine !== generation) return null;
    const since = Number(headers.get('X-Weir-Complete-Since'));
    return {value, next: headers.get('X-Weir-Next-Cursor'), since};
  };
  const load = async () => {
    if (busy) return;
    busy = true;
    try {
      const got = await fetchPage(null, PAGE);
      if (got) {
        fill(note, h('p', {class: 'muted'}, completeness(got.since)));
        if (items.length <= PAGE || scrollY < 200) {
          items = got.value;
          cursor = got.next;
          table.set(items);
        }
      }
    } catch (error) {
      if (error.name !== 'AbortError' && (error.status || !items.length))
        fill(note, failure(error, load));
    } finally {
      busy = false;
    }
  };
  const more = async () => {
    if (busy || !cursor) return;
    busy = true;
    try {
      const got = await fetchPage(cursor, PAGE);
      if (got) {
        items = [...items, ...got.value];
        cursor = got.next;
        table.set(items);
      }
    } catch {
      /* The banner says what is wrong. */
    } finally {
      busy = false;
    }
  };
  let timer = 0;
  const again = () => {
    showChips();
    generation += 1;
    items = [];
    busy = false;
    load();
  };
  const field = (name, label, extra = {}) =>
    h('input', {
      type: 'search',
      value: query().get(name) ?? '',
      placeholder: label,
      'aria-label': label,
      ...extra,
      on: {
        input: (event) => {
          setQuery({[name]: event.target.value.trim()});
          clearTimeout(timer);
          timer = setTimeout(again, 300);
        },
      },
    });
  const chips = h(
    'div',
    {class: 'chips', role: 'group', 'aria-label': 'Kind'},
    KINDS.map(([kind, label]) =>
      h(
        'button',
        {
          'data-kind': kind,
          on: {
            click: () => {
              setQuery({kind});
              again();
            },
          },
        },
        label,
      ),
    ),
  );
  const showChips = () => {
    for (const chip of chips.children)
      chip.setAttribute('aria-pressed', chip.dataset.kind === (query().get('kind') ?? ''));
  };
  page.root.append(
    page.heading('Events'),
    h(
      'div',
      {class: 'filters'},
      field('queue', 'Queue  /', {'data-filter': true}),
      field('job', 'Job, job_0007'),
      chips,
    ),
    panel,
  );
  panel.append(note);
  table.mount(page, panel);
  page.use('/queues', {}, (value) => {
    if (value) knowQueues(value);
  });
  page.on('jobs', () => {
    clearTimeout(page.loadTimer);
    page.loadTimer = setTimeout(load, 1000);
  });
  page.every(4000, load);
  showChips();
  load();
}
