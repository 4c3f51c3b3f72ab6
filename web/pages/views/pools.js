// Pools and shares, the fair scheduler's page: pools with their shares, and their jobs with pool
// and priority as menus that change them in place.
import {h, fill, panelOf, setText, visible} from '../dom.js';
import {setPath} from '../names.js';
import {Table} from '../table.js';
import {whole, share, duration, nameOf, slotTime, DASH} from '../format.js';
import {query, setQuery} from '../router.js';
import {colourClass, knowQueues} from '../colours.js';
import {JobList} from '../job_list.js';
import {PRIORITIES, setPriority, move} from '../actions.js';
import {actingAs, notice, refusal} from '../dialogs.js';
import {empty, loading} from '../states.js';
import {WORDS, ofAmounts} from '../words.js';
import {areSlots, classesOf, figuresOf} from '../measure.js';

/** Jobs are in leaves: what is above has those below it. */
function withJobsBelow(pools) {
  return pools.map((pool) => {
    const below = pools.filter(({name}) => name.startsWith(pool.name + '.'));
    if (!below.length || pool.jobs_running === undefined) return pool;
    const leaves = below.filter(({name}) => !below.some((one) => one.name.startsWith(name + '.')));
    const sum = (key) => leaves.reduce((all, one) => all + (one[key] ?? 0), 0);
    return {...pool, jobs_running: sum('jobs_running'), jobs_waiting: sum('jobs_waiting')};
  });
}

const starved = ({below_min_share_ms: min, below_half_share_ms: half}) =>
  min || half ? duration(Math.max(min, half)) : DASH;

const column = (key, label, width, from, tip, text) => ({
  key,
  label,
  width,
  from,
  tip,
  right: true,
  text,
});

const pair = (of) => (pool) => `${of(pool.maps)} / ${of(pool.reduces)}`;

/** A line for each dimension of containers. */
const lines = (classes, of) => ({
  className: 'lines-cell',
  draw: (cell, pool) =>
    fill(cell, classes.map((one) => h('div', {}, of(figuresOf(pool, one[0]) ?? {}, one)))),
});

function poolColumns(advanced, classes, choose) {
  const slots = areSlots(classes);
  const figure = (key, label, tip, of, from, width = '104px') => ({
    key,
    label,
    tip: slots ? tip + ' Maps / reduces.' : ofAmounts(tip),
    width,
    from,
    right: true,
    ...(slots ? {text: pair(of)} : lines(classes, of)),
  });
  const dimension = {key: 'dimension', label: 'Dimension', width: '66px'};
  const columns = [
    {
      key: 'name',
      label: 'Pool',
      width: `minmax(${slots ? 110 : 90}px, 1.4fr)`,
      className: 'with-dot',
      draw: (cell, pool) => {
        if (!cell.firstChild)
          cell.append(h('i', {}), h('button', {class: 'as-link', on: {click: () => choose(cell.pool)}}));
        cell.pool = pool;
        cell.firstChild.className = 'dot ' + colourClass(pool.name);
        setPath(cell.lastChild, pool.name);
      },
    },
    column(
      'jobs',
      'Jobs',
      '64px',
      420,
      'Jobs that may run / that wait for a place among the running jobs.',
      (pool) =>
        pool.jobs_running === undefined
          ? DASH
          : `${whole(pool.jobs_running)}/${whole(pool.jobs_waiting ?? 0)}`,
    ),
    ...(slots ? [] : [{...dimension, ...lines(classes, (_, [, kind]) => nameOf(kind))}]),
    figure('running', 'Running', WORDS.running, (one) => whole(one.running), 0, slots ? '72px' : '60px'),
    figure('share', 'Fair share', WORDS.fairShare, (one) => share(one.share), 0, slots ? '88px' : '66px'),
    figure(
      'demand',
      'Demand',
      WORDS.demand,
      (one) => whole(one.demand ?? one.running + one.pending),
      advanced ? 700 : 560,
    ),
    figure(
      'min',
      'Min share',
      WORDS.minShare,
      (one) => whole(one.min_share ?? 0),
      advanced ? 830 : 660,
      '84px',
    ),
    column('weight', 'Weight', '64px', 480, WORDS.weight, ({weight}) => share(weight)),
    figure(
      'max',
      'Max share',
      'Maximum share in slots: its tasks never go beyond.',
      ({maximum}) => whole(maximum ?? Infinity),
      advanced ? 1000 : 900,
      '96px',
    ),
  ];
  if (!advanced) return columns;
  return [
    ...columns,
    {
      key: 'mode',
      label: 'Mode',
      width: '56px',
      from: 900,
      tip:
        "How the pool's jobs share what it has: drf, fair, each its part by weight; " +
        'fifo, one after another.',
      text: (pool) => pool.mode ?? DASH,
    },
    slots
      ? figure('starved', 'Starved', WORDS.starved, starved, 620, '112px')
      : column('starved', 'Starved', '76px', 620, WORDS.starved, starved),
  ];
}

/** How a job stands under the policy that rules, by `of(job)`: nothing of one that waits. */
function standingColumns(of, classes) {
  const own = (key, label, width, from, tip, text) =>
    column(key, label, width, from, tip, (job) => (of(job) ? text(of(job)) : DASH));
  const slots = areSlots(classes);
  const both = (figure) => (one) => `${figure(one.maps)} / ${figure(one.reduces)}`;
  const deficit = ({deficit_slot_ms: ms}) => (ms === undefined ? DASH : slotTime(ms));
  const wide = 600 + 104 * classes.length;
  const shares = slots
    ? [
        own('fair_share', 'Share', '96px', 620, WORDS.jobShare, both((of) => share(of.share))),
        own('weight', 'Weight', '84px', 980, WORDS.jobWeight, both((of) => share(of.weight))),
        own('deficit', 'Deficit', '116px', 760, WORDS.deficit, both(deficit)),
      ]
    : [
        ...classes.map(([view, kind]) =>
          own(view, 'Share, ' + nameOf(kind), '104px', wide, ofAmounts(WORDS.jobShare), (one) =>
            share(figuresOf(one, view)?.share),
          ),
        ),
        own('weight', 'Weight', '64px', wide + 80, WORDS.jobWeight, (one) => share(one.weight)),
      ];
  return [
    ...shares,
    own('locality', 'Locality', '96px', 1000, WORDS.localityWait, (one) => {
      if (!one.may_run) return DASH;
      return one.locality_left_ms
        ? `${one.may_run}, ${duration(one.locality_left_ms)}`
        : one.may_run;
    }),
  ];
}

async function chosen(cell, change) {
  const {job, value: was} = cell;
  const wanted = cell.select.value;
  try {
    if (!(await actingAs())) throw new Error('nobody acts');
    await change(job, wanted);
    if (cell.job.number === job.number) cell.value = wanted;
  } catch (error) {
    if (cell.job.number === job.number) cell.select.value = was;
    const words = refusal(error)
      .flat(9)
      .filter((part) => typeof part === 'string');
    if (error.status) notice(words.join(' '), {bad: true});
  }
}

/** All that can be chosen is made when somebody turns to the menu: there may be 1,000 queues. */
function offer(cell, names) {
  if (cell.offered) return;
  cell.offered = true;
  const others = names.filter((name) => name !== cell.value);
  cell.select.append(...others.map((name) => h('option', {value: name}, visible(name))));
}

/** A menu in a cell that changes the job where it stands. `options()` is what can be chosen. */
function menu(cell, job, value, options, label, change) {
  if (!cell.select) {
    const show = () => offer(cell, options());
    cell.select = h('select', {
      on: {change: () => chosen(cell, change), pointerdown: show, focus: show, mousedown: show},
    });
    cell.append(cell.select);
  }
  if (cell.job?.number !== job.number) cell.select.setAttribute('aria-label', label);
  if (cell.job?.number !== job.number || cell.value !== value) {
    fill(cell.select, h('option', {value}, visible(value)));
    cell.offered = false;
    cell.select.value = value;
    if (document.activeElement === cell.select) offer(cell, options());
  }
  cell.job = job;
  cell.value = value;
}

export function draw(page) {
  page.title('Pools and shares');
  let pools = [];
  let classes = classesOf([]);
  const advanced = h('input', {
    type: 'checkbox',
    checked: query().has('advanced'),
    on: {
      change: () => {
        setQuery({advanced: advanced.checked ? '1' : null});
        drawTable();
        drawJobs();
        policies.path = policyPath();
        policies.refresh();
      },
    },
  });
  const place = h('div', {}, loading());
  const panel = panelOf(place);
  const hint = h('div', {});
  const title = h('h2', {}, 'Jobs');
  const every = h('button', {on: {click: () => choose(null)}}, 'All pools');
  const jobsPanel = panelOf(h('div', {class: 'panel-head'}, title, every));
  page.root.append(
    page.heading(
      'Pools and shares',
      h('span', {class: 'space'}),
      h(
        'label',
        {
          class: 'toggle',
          tip:
            'Adds mode and starvation clocks of pools; under fair also share, weight, ' +
            'deficit of slots and the wait for locality of jobs.',
        },
        advanced,
        'advanced',
      ),
    ),
    hint,
    panel,
    jobsPanel,
  );
  let table = null;
  const choose = (pool) => {
    setQuery({pool: pool?.name});
    askJobs();
  };
  const drawTable = () => {
    table?.element.remove();
    classes = classesOf(pools);
    table = new Table({
      columns: poolColumns(advanced.checked, classes, choose),
      rowHeight: areSlots(classes) ? 32 : 17 * classes.length + 8,
      keyOf: (pool) => pool.name,
      label: 'Pools',
      empty: () =>
        empty(
          'There are no pools: a pool comes to be with its first job, or is declared in the ' +
            'settings.',
        ),
    });
    fill(place);
    table.mount(page, panel);
    table.set(pools);
  };
  const list = new JobList(page, jobsPanel, {bulk: false, empty: () => empty('No job of it is not over.')});
  const poolNames = () =>
    pools
      .filter((pool) => !pools.some((other) => other.name.startsWith(pool.name + '.')))
      .map((pool) => pool.name);
  let kind = 'queue';
  let queueNames = [];
  const columns = list.table.columns
    .filter((column) => !['queue', 'priority', 'running'].includes(column.key))
    .map((column) => (column.key === 'state' ? {...column, from: 560} : column));
  columns.splice(
    2,
    0,
    {
      key: 'pool',
      label: 'Pool',
      width: 'minmax(132px, 0.9fr)',
      tip:
        'The pool that the job is in; choose another to move it there. Where the policy ' +
        'has no pools, its queue.',
      draw: (cell, job) =>
        menu(
          cell,
          job,
          job.pool ?? job.queue,
          () => (kind === 'pool' ? poolNames() : queueNames),
          `Pool of ${job.job}`,
          (one, wanted) => move(one, wanted, kind),
        ),
    },
    {
      key: 'priority',
      label: 'Priority',
      width: '112px',
      tip: WORDS.priority,
      from: 420,
      draw: (cell, job) =>
        menu(cell, job, job.priority, () => PRIORITIES, `Priority of ${job.job}`, setPriority),
    },
  );
  // There is no room for all: what the page of jobs shows as well makes way.
  const atHand = ({key}) => !['state', 'user', 'reduces', 'age', 'reason'].includes(key);
  let standings = new Map();
  const drawJobs = () => {
    const more = advanced.checked && kind === 'pool';
    list.table.columns = more
      ? [...columns.filter(atHand), ...standingColumns((job) => standings.get(job.number), classes)]
      : columns;
    list.table.layOut();
  };
  list.table.hrefOf = null;
  drawJobs();
  let outlook = [];
  const setHint = (policy) => {
    if (hint.policy === policy) return;
    hint.policy = policy;
    const words = `The policy is ${visible(policy)}: these are the shares that fair would deal now. `;
    const compare = h('a', {href: '/policy'}, 'Compare the policies');
    fill(hint, policy ? h('p', {class: 'banner warn'}, h('span', {}, words, compare)) : null);
  };
  const showPools = (value) => {
    pools = withJobsBelow(value);
    if (!table || String(classesOf(pools)) !== String(classes)) {
      drawTable();
      drawJobs();
    }
    table.set(pools);
  };
  const askJobs = () => {
    const pool = query().get('pool');
    setText(title, pool ? `Jobs of ${visible(pool)}` : 'Jobs of all pools');
    every.hidden = !pool;
    // Of a pool in the order in which they are served, of all pools the newest first.
    if (pool) list.ask({[kind]: pool, sort: 'service'});
    else list.ask({state: 'RUNNING,PENDING,WAITING,HELD'});
  };
  page.use('/queues', {}, (value) => {
    if (!value) return;
    knowQueues(value);
    queueNames = value.filter((one) => one.leaf && one.state === 'RUNNING').map((one) => one.name);
    list.table.redraw();
  });
  const policyPath = () => (advanced.checked ? '/policy?advanced=1' : '/policy');
  const policies = page.use(policyPath(), {topic: 'policy', every: 5000}, (value) => {
    if (!value) return;
    standings = new Map((value.jobs ?? []).map((one) => [one.number, one]));
    const was = kind;
    kind = value.current === 'fair' ? 'pool' : 'queue';
    setHint(kind === 'pool' ? null : value.current);
    // Under another policy the fair one says what it would deal.
    outlook = value.outlooks.find((one) => one.of === 'pools')?.shares ?? [];
    if (kind === 'queue') showPools(outlook);
    if (was !== kind) {
      drawJobs();
      askJobs();
    }
    list.table.redraw();
  });
  page.show(place, '/pools', {topic: 'queues', every: 3000}, (value) => {
    if (value.pools.length || kind === 'pool') showPools(value.pools);
    else showPools(outlook);
  });
  askJobs();
}
