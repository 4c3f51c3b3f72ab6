// The queues as a tree with bars: the heart of the overview and of the page of queues. Branches
// fold, and what is folded is in the address; a filter shows matching queues with their parents.
import {h, fill, setText} from './dom.js';
import {setPath} from './names.js';
import {Table} from './table.js';
import {makeBar, setBar, scales, ownScale} from './bars.js';
import {colourClass, knowQueues} from './colours.js';
import {whole, seconds, counted, amountOf, nameOf, thousandths} from './format.js';
import {href, query, setQuery} from './router.js';
import {WORDS, ofAmounts} from './words.js';
import {
  RUNNING_MEANS,
  amountsOf,
  areSlots,
  classesOf,
  demandOf,
  figuresOf,
  measureOfAll,
  minimumText,
  runningText,
  waitsAtMaximum,
} from './measure.js';

const EACH_ABOVE = 20; // of so many queues each has a scale of its own: bars can be read
const FOLD_ABOVE = 80; // so many queues begin folded
// Pixels of a name's column beside the name.
const BESIDE = 26;
const INDENT = 16;
const STOPPED = 64;
// A bar for each class beside the others needs so much; where there is less they stand below each other.
const WIDE = {slots: 660, each: 300};
const STACKED = 17; // pixels of each then, and of a line

const parentOf = (name) => (name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '');
const lastPart = (name) => name.slice(name.lastIndexOf('.') + 1);

function slotsCell(cell, queue, view, kind, tree) {
  if (!cell.bar) {
    cell.bar = makeBar();
    cell.figure = h('span', {class: 'figure'});
    cell.append(cell.bar, cell.figure);
  }
  const slots = figuresOf(queue, view);
  const scale = tree.scale[view];
  setBar(cell.bar, queue, slots, kind, tree.each ? ownScale(slots, scale) : scale);
  setText(cell.figure, runningText(slots));
}

function bothCell(cell, queue, tree) {
  if (!cell.firstChild) {
    cell.parts = tree.classes.map(([view, kind]) =>
      areSlots(tree.classes)
        ? h('div', {class: `t-c slots-cell mini ${view}`})
        : h('div', {class: 't-c slots-cell mini named'}, h('span', {class: 'muted'}, nameOf(kind))),
    );
    cell.append(...cell.parts);
  }
  tree.classes.forEach(([view, kind], i) => slotsCell(cell.parts[i], queue, view, kind, tree));
}

/** What fair has of a queue beside its share. */
function dealt(view) {
  const column = (key, label, tip, text) => ({
    key: view + key,
    label,
    width: '68px',
    from: 1300,
    right: true,
    tip: `${tip} Of ${view}.`,
    text: (queue) => text(queue[view]),
  });
  return [
    column('min', 'Minimum', WORDS.minShare, minimumText),
    column('demand', 'Demand', WORDS.demand, (slots) => whole(demandOf(slots))),
  ];
}

/** Of slots the sum; of containers, which are of many units, the largest part of the guaranteed. */
function borrowedOf(queue) {
  const all = classesOf([queue]).map(([view]) => figuresOf(queue, view));
  if (!queue.dominant_thousandths) return all.reduce((sum, one) => sum + (one.borrows ?? 0), 0);
  return Math.max(...all.map((one) => (one.borrows ?? 0) / Math.max(1, one.guaranteed)));
}

// What the columns sort by; then the tree is a list of its leaves.
const ORDERS = {
  owed: (queue) => queue.claims.reduce((sum, claim) => sum + claim.slots, 0),
  borrowed: borrowedOf,
  dominant: (queue) => queue.dominant_thousandths ?? 0,
  pending: (queue) => figuresOf(queue, classesOf([queue])[0][0]).pending,
  reduces_pending: (queue) => figuresOf(queue, classesOf([queue])[1][0]).pending,
  jobs: (queue) => queue.jobs_running + queue.jobs_pending + queue.jobs_waiting,
};

/** When the first of some claims kills, or why it does not. */
export function firstKill(claims, ago = 0) {
  if (claims.some((claim) => claim.state === 'paused')) return 'paused';
  const left = (claim) => claim.milliseconds_left;
  const [first] = claims.filter((one) => left(one) >= 0).sort((a, b) => left(a) - left(b));
  if (!first) return '';
  if (left(first)) return seconds(left(first) - ago);
  return (first.state ?? 'due').replaceAll('_', ' ');
}

function claimsText(queue) {
  if (!queue.claims.length) return '';
  return `${whole(ORDERS.owed(queue))} owed ${firstKill(queue.claims)}`.trim();
}

/** Of containers a line for each claim. */
function claimsCell(cell, {claims}) {
  const line = (one) => `${amountOf(one.slots, one.dimension)} ${firstKill([one])}`.trim();
  fill(cell, claims.map((one) => h('div', {}, line(one))));
}

export class QueueTree {
  constructor({more = false}) {
    this.queues = [];
    this.more = more;
    this.measure = 'guarantee';
    this.classes = classesOf([]);
    this.filter = query().get('filter') ?? '';
    const sort = query().get('sort');
    this.sort = ORDERS[sort?.replace(/^-/, '')] ? sort : 'tree';
    const scale = query().get('scale');
    this.each = scale === null ? null : scale === 'each';
    const closed = query().get('closed');
    this.closed = closed === null ? null : new Set(closed.split(',').filter(Boolean));
    this.table = new Table({
      columns: this.columns(),
      rowHeight: 36,
      keyOf: (queue) => queue.name,
      hrefOf: (queue) => href.queue(queue.name),
      label: 'Queues with their slots',
      rowClass: (queue) =>
        (queue.leaf ? '' : 'branch ') + (queue.state === 'STOPPED' ? 'stopped' : ''),
      sort: this.sort === 'tree' ? null : this.sort,
      onSort: (order) => this.turnSort(order),
      onKey: (event, queue) => this.foldKey(event, queue),
      empty: () =>
        h('p', {class: 'empty'}, this.filter ? `No queue is named like “${this.filter}”.` : 'There are no queues.'),
    });
    this.scaleButton = h('button', {
      hidden: true,
      on: {click: () => this.turnScale()},
    });
    this.input = h('input', {
      type: 'search',
      'data-filter': true,
      placeholder: 'Filter queues  /',
      'aria-label': 'Filter queues',
      value: this.filter,
      on: {
        input: () => {
          this.filter = this.input.value.trim();
          setQuery({filter: this.filter});
          this.draw();
        },
      },
    });
  }

  columns() {
    const {more, measure, classes} = this;
    const slots = areSlots(classes);
    const wide = slots ? WIDE.slots : WIDE.each * classes.length;
    const words = slots ? (text) => text : ofAmounts;
    return [
      {
        key: 'name',
        label: 'Queue',
        least: slots ? 130 : 100,
        names: {
          of: (queue) => this.nameOf(queue),
          beside: (queue) =>
            BESIDE + INDENT * this.depth(queue) + (queue.state === 'STOPPED' ? STOPPED : 0),
        },
        sort: 'tree',
        tip: 'In the order of the tree. By another column they are a list, without the tree.',
        className: 'tree-name',
        draw: (cell, queue) => this.nameCell(cell, queue),
      },
      {
        key: 'both',
        label: slots ? 'Map slots, reduce slots' : `Amounts: ${RUNNING_MEANS[measure]}`,
        width: `minmax(${slots ? 150 : 190}px, 1.6fr)`,
        upTo: wide,
        className: 'both-cell',
        tip: slots
          ? `Above map slots, below reduce slots; ${RUNNING_MEANS[measure]} beside each bar.`
          : `A bar for each dimension; ${RUNNING_MEANS[measure]} beside each.`,
        draw: (cell, queue) => bothCell(cell, queue, this),
      },
      ...classes.flatMap(([view, kind, label]) => [
        {
          key: view,
          label,
          width: 'minmax(150px, 3fr)',
          from: wide,
          className: 'slots-cell',
          tip:
            (this.each
              ? `Each bar has a scale of its own: the most that the queue has or is due. `
              : `The bars of all queues have one scale: the ${nameOf(kind)} of the cluster. `) +
            `Beside each: ${RUNNING_MEANS[measure]}.`,
          draw: (cell, queue) => slotsCell(cell, queue, view, kind, this),
        },
        slots && {
          key: view + 'pending',
          label: 'Pending',
          width: '70px',
          from: more ? 1000 : 880,
          right: true,
          sort: kind === 'map' ? 'pending' : 'reduces_pending',
          descending: true,
          tip: `${WORDS.pending} Of ${view}.`,
          text: (queue) =>
            whole(queue[view].pending) + (waitsAtMaximum(queue, view) ? ' at max' : ''),
        },
        ...(slots && more && measure === 'share' ? dealt(view) : []),
      ].filter(Boolean)),
      ...(slots ? [] : this.amountColumns()),
      {
        key: 'jobs',
        sort: 'jobs',
        descending: true,
        label: 'Jobs',
        width: '72px',
        from: 820,
        right: true,
        tip: WORDS.jobs,
        text: (queue) => `${queue.jobs_running}/${queue.jobs_pending}/${queue.jobs_waiting}`,
      },
      ...(measure === 'guarantee' && slots
        ? [
            {
              key: 'borrowed',
              label: 'Borrowed',
              width: '80px',
              from: more ? 1100 : 960,
              right: true,
              tip: `${WORDS.borrows} Maps and reduces together.`,
              sort: 'borrowed',
              descending: true,
              text: (queue) => whole(borrowedOf(queue)),
            },
          ]
        : []),
      ...(more
        ? [
            {
              key: 'users',
              label: 'Users',
              width: '56px',
              from: 1100,
              right: true,
              tip: WORDS.users,
              text: (queue) => (queue.leaf ? whole(queue.users.length) : ''),
            },
          ]
        : []),
      {
        key: 'claims',
        label: 'Owed',
        sort: 'owed',
        descending: true,
        width: '104px',
        from: slots ? 760 : 1100,
        right: true,
        tip: words(WORDS.claims),
        ...(slots
          ? {className: 'claim', text: claimsText}
          : {className: 'claim lines-cell', draw: claimsCell}),
      },
      ...(more
        ? [
            {
              key: 'state',
              label: 'State',
              width: '84px',
              from: measure === 'share' ? 1480 : 1240,
              tip: WORDS.queueState,
              text: (queue) => queue.state,
            },
          ]
        : []),
    ];
  }

  /** Of containers, which have many dimensions: a line for each in one column. */
  amountColumns() {
    const {more, measure} = this;
    const column = (key, label, from, tip, of, sort = null) => ({
      key,
      label,
      width: '84px',
      from,
      right: true,
      sort,
      descending: true,
      tip: ofAmounts(tip),
      className: 'lines-cell',
      draw: (cell, queue) => fill(cell, amountsOf(queue, of).map((text) => h('div', {}, text))),
    });
    const reserved = (of) => of.reserved;
    const held = this.queues.some((queue) => amountsOf(queue, reserved).length);
    return [
      column('pending', 'Pending', more ? 1000 : 800, WORDS.pending, (of) => of.pending, 'pending'),
      ...(more && measure === 'share'
        ? [
            column('min', 'Minimum', 1300, WORDS.minShare, (of) => of.min_share),
            column('demand', 'Demand', 1300, WORDS.demand, demandOf),
          ]
        : []),
      ...(more && measure === 'guarantee'
        ? [column('borrowed', 'Borrowed', 1100, WORDS.borrows, (of) => of.borrows, 'borrowed')]
        : []),
      ...(held ? [column('reserved', 'Reserved', 1000, WORDS.reserved, reserved)] : []),
      {
        key: 'dominant',
        label: 'Dominant',
        width: '72px',
        from: 560,
        right: true,
        sort: 'dominant',
        descending: true,
        tip: WORDS.dominant,
        text: (queue) => thousandths(queue.dominant_thousandths),
      },
    ];
  }

  nameCell(cell, queue) {
    if (!cell.link) {
      cell.fold = h('button', {class: 'fold', on: {click: () => this.toggle(cell.queue)}});
      cell.dot = h('i', {});
      cell.link = h('a', {});
      cell.badge = h('span', {class: 'badge warn'}, 'stopped');
      cell.append(cell.fold, cell.dot, cell.link, cell.badge);
    }
    cell.queue = queue;
    cell.style.setProperty('--depth', this.depth(queue));
    cell.fold.hidden = queue.leaf;
    const open = this.isOpen(queue.name);
    setText(cell.fold, open ? '▾' : '▸');
    cell.fold.setAttribute('aria-label', `${open ? 'Fold' : 'Unfold'} ${queue.name}`);
    cell.fold.setAttribute('aria-expanded', open);
    cell.dot.className = 'dot ' + colourClass(queue.name, queue.leaf);
    cell.dot.hidden = !queue.leaf;
    cell.link.href = href.queue(queue.name);
    setPath(cell.link, this.nameOf(queue));
    cell.link.title = queue.name;
    cell.badge.hidden = queue.state !== 'STOPPED';
  }

  depth({name}) {
    return this.isList() ? 0 : name.split('.').length - 1;
  }

  /** In the tree its place says the rest. */
  nameOf(queue) {
    return this.filter || this.isList() ? queue.name : lastPart(queue.name);
  }

  isList() {
    return this.sort !== 'tree' && this.sort !== '-tree';
  }

  turnSort(sort) {
    this.sort = sort;
    this.table.sort = this.isList() ? sort : null;
    setQuery({sort: this.table.sort});
    this.table.drawHead();
    this.draw();
    this.table.redraw();
  }

  turnScale() {
    this.each = !this.each;
    setQuery({scale: this.each ? 'each' : 'one'});
    this.showScale();
    this.newColumns();
  }

  showScale() {
    this.scaleButton.hidden = !this.queues.length;
    setText(this.scaleButton, this.each ? 'Bars on one scale' : 'A scale for each bar');
  }

  newColumns() {
    const n = this.classes.length;
    if (!areSlots(this.classes)) this.table.wideHeight = Math.max(36, STACKED * n + 4);
    this.table.columns = this.columns();
    this.table.signature = null;
    this.table.layOut();
  }

  isOpen(name) {
    if (this.filter) return true;
    return this.closed ? !this.closed.has(name) : this.queues.length <= FOLD_ABOVE;
  }

  toggle(queue) {
    if (!this.closed) {
      this.closed = new Set(
        this.queues.length <= FOLD_ABOVE
          ? []
          : this.queues.filter((one) => !one.leaf).map((one) => one.name),
      );
    }
    if (!this.closed.delete(queue.name)) this.closed.add(queue.name);
    setQuery({
      closed: [...this.closed].join(',') || (this.queues.length > FOLD_ABOVE ? ',' : null),
    });
    this.draw();
    this.table.redraw();
  }

  foldKey(event, queue) {
    if (queue.leaf) return false;
    const open = this.isOpen(queue.name);
    const wants =
      event.key === ' ' ||
      (event.key === 'ArrowRight' && !open) ||
      (event.key === 'ArrowLeft' && open);
    if (wants) this.toggle(queue);
    return wants;
  }

  set(queues, cluster) {
    if (queues) {
      this.queues = queues;
      knowQueues(queues);
    }
    if (cluster) this.cluster = cluster;
    const scale = scales(this.queues, this.cluster);
    const rescaled = JSON.stringify(scale) !== JSON.stringify(this.scale);
    this.scale = scale;
    this.classes = classesOf(this.queues);
    this.measure = measureOfAll(this.queues);
    this.each ??= this.queues.length ? this.queues.length > EACH_ABOVE : null;
    const columns = this.columns();
    const kind = columns.map((column) => column.key + column.label).join() + this.each;
    if (this.queues.length && kind !== this.kind) {
      this.kind = kind;
      this.newColumns();
    }
    this.showScale();
    this.draw();
    if (rescaled) this.table.redraw();
  }

  draw() {
    const text = this.filter.toLowerCase();
    const matching = new Set();
    if (text) {
      for (const {name} of this.queues) {
        if (!name.toLowerCase().includes(text)) continue;
        for (let at = name; at; at = parentOf(at)) matching.add(at);
      }
    }
    const hidden = (name) => {
      for (let at = parentOf(name); at; at = parentOf(at)) if (!this.isOpen(at)) return true;
      return false;
    };
    if (!this.isList()) {
      return this.table.set(this.queues.filter((queue) => (text ? matching.has(queue.name) : !hidden(queue.name))));
    }
    const of = ORDERS[this.sort.replace(/^-/, '')];
    const down = this.sort.startsWith('-') ? -1 : 1;
    const leaves = this.queues.filter((queue) => queue.leaf && (!text || matching.has(queue.name)));
    this.table.set(leaves.sort((a, b) => (of(a) - of(b)) * down));
  }

  count() {
    const leaves = this.queues.filter((queue) => queue.leaf).length;
    return counted(leaves, 'queue');
  }
}

/** Who took back what from whom, newest first: the kills of one claim together, `least` where there
 * may be more than the ten that are told of a queue. What is only logged is logged again and again
 * for the same slots: of that the last. */
export function killLines(queues) {
  const all = new Map();
  for (const {kills} of queues) {
    const from = kills.length < 10 ? 0 : Math.min(...kills.map((kill) => kill.at_ms));
    for (const kill of kills) {
      const key = kill.attempt + kill.at_ms;
      all.set(key, {...kill, from: Math.min(from, all.get(key)?.from ?? from)});
    }
  }
  const groups = new Map();
  for (const kill of [...all.values()].sort((a, b) => b.at_ms - a.at_ms)) {
    const logged = kill.outcome === 'logged_only';
    const key = [kill.claim, kill.claimant, kill.victim, kill.job, logged].join('\n');
    const group = groups.get(key) ?? {...kill, logged, lost: 0, slots: 0, lost_ms: null};
    groups.set(key, group);
    group.from = Math.min(group.from, kill.from);
    if (logged && kill.at_ms < group.at_ms) continue;
    group.slots += kill.slots;
    group.lost += kill.lost_slot_ms;
    for (const [dimension, ms] of Object.entries(kill.lost_ms ?? {})) {
      group.lost_ms ??= {};
      group.lost_ms[dimension] = (group.lost_ms[dimension] ?? 0) + ms;
    }
  }
  for (const one of groups.values())
    one.least = one.from < one.at_ms - (one.logged ? 0 : one.owed_ms) ? '' : 'at least ';
  return [...groups.values()];
}
