// A list of jobs as long as the cluster has them: the next page of the API is read when one
// scrolls near the end, and changes that the stream tells replace the rows they are of.
import {read, withQuery} from './api.js';
import {jobTable, tasksLabel} from './job_cells.js';
import {jobKey} from './actions.js';
import {Selection} from './bulk.js';
import {failure, loading} from './states.js';
import {h, fill} from './dom.js';

const PAGE = 500;
const SORTED_AT_MOST = 10_000; // so many are read where the order is not the server's

const RANK = {VERY_HIGH: 4, HIGH: 3, NORMAL: 2, LOW: 1, VERY_LOW: 0};
const STATE = {RUNNING: 0, PENDING: 1, WAITING: 2, HELD: 3, SUCCEEDED: 4, FAILED: 5, KILLED: 6};
const BY = {
  queue: (job) => job.queue,
  user: (job) => job.user,
  state: (job) => STATE[job.state],
  priority: (job) => RANK[job.priority],
};

/** Which order the server has, and what is left to do here. */
function orderOf(sort) {
  const down = sort.startsWith('-');
  const key = sort.replace(/^-/, '');
  if (key === 'submitted') return {asked: sort, compare: null};
  if (key === 'service') return {asked: sort, all: true, compare: null};
  const of = BY[key] ?? BY.queue;
  return {
    asked: '-submitted',
    all: true,
    compare: (a, b) => {
      const [x, y] = [of(a), of(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || b.number - a.number;
    },
  };
}

export class JobList {
  /** `onCount(shown, total or null)` is told how many there are. */
  constructor(page, place, {queue = true, onSort = null, sort = null, empty, onCount = null, bulk = true}) {
    Object.assign(this, {page, place, onCount});
    this.items = [];
    this.path = '/jobs';
    this.note = h('div', {}, loading());
    this.selection = new Selection({
      all: () => this.readAll(),
      changed: () => this.table.redraw(),
    });
    this.table = jobTable({
      queue,
      label: 'Jobs',
      sort,
      onSort,
      empty,
      onEnd: () => this.more(),
      select: bulk && this.selection.column,
      onKey: (event, job) => (bulk && this.selection.pressed(event, job)) || jobKey(event, job),
    });
    if (bulk) place.append(this.selection.element);
    place.append(this.note);
    this.table.mount(page, place);
    page.on('jobs', (data) => this.heard(data));
    page.every(4000, () => this.table.redraw());
  }

  /** `sort` is submitted, -submitted, service (of a queue or pool), or one of the columns, which is
   * sorted here. */
  ask({sort, ...filters}) {
    this.order = orderOf(sort || '-submitted');
    this.filters = {...filters, sort: this.order.asked};
    this.items = [];
    this.generation = (this.generation ?? 0) + 1;
    this.cursor = null;
    // What is not seen any more is not changed either.
    const {sort: _, ...which} = this.filters;
    if (this.which !== JSON.stringify(which)) this.selection.keep(new Set());
    this.which = JSON.stringify(which);
    return this.reload();
  }

  async fetch(cursor, limit) {
    const mine = this.generation;
    const {value, headers} = await read(withQuery('/jobs', {...this.filters, limit, cursor}), {
      signal: this.page.signal,
    });
    if (mine !== this.generation) return null;
    return {value, next: headers.get('X-Weir-Next-Cursor')};
  }

  /** Reads anew what is shown, from the first row on. */
  async reload() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      const got = await this.fetch(
        null,
        this.order.all ? SORTED_AT_MOST : Math.max(PAGE, Math.min(2000, this.items.length)),
      );
      if (got && this.order.compare) {
        this.show(got.value.sort(this.order.compare), null, got.next ? null : got.value.length);
      } else if (got) {
        const ids = new Set(got.value.map((job) => job.number));
        const rest =
          got.next && this.cursor
            ? this.items.slice(got.value.length).filter((job) => !ids.has(job.number))
            : [];
        this.show([...got.value, ...rest], rest.length ? this.cursor : got.next);
      }
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (error.status || !this.items.length)
        fill(this.note, failure(error, () => this.reload()));
    } finally {
      this.busy = false;
      if (this.again) {
        this.again = false;
        this.reload();
      }
    }
  }

  async more() {
    if (!this.cursor || this.busy) return;
    this.busy = true;
    try {
      const got = await this.fetch(this.cursor, PAGE * 2);
      if (got) this.show([...this.items, ...got.value], got.next);
    } catch {
      /* The banner says what is wrong; scrolling asks again. */
    } finally {
      this.busy = false;
    }
  }

  /** Every job that the filters let through, or the first of very many. */
  async readAll() {
    while ((this.cursor || this.busy) && this.items.length < SORTED_AT_MOST) {
      if (this.page.signal.aborted) break;
      const before = this.items.length;
      await (this.busy ? new Promise((resolve) => setTimeout(resolve, 50)) : this.more());
      if (!this.busy && this.cursor && this.items.length === before) break;
    }
    return this.items;
  }

  /** `total`: how many there are; null: not known, as there are more. */
  show(items, next, total = next ? null : items.length) {
    this.items = items;
    this.cursor = next;
    fill(this.note);
    this.selection.listed(items, !next);
    const maps = this.table.columns.find((column) => column.key === 'maps');
    if (maps && maps.label !== tasksLabel(items)) {
      maps.label = tasksLabel(items);
      this.table.drawHead();
    }
    this.table.set(items);
    this.onCount?.(items.length, total);
  }

  heard(data) {
    if (Array.isArray(data.changed) && !data.many) {
      const changed = new Map(data.changed.map((job) => [job.number, job]));
      let other = (data.removed ?? []).length > 0;
      this.items = this.items.map((job) => {
        const now = changed.get(job.number);
        if (now && now.state !== job.state) other = true;
        if (now) changed.delete(job.number);
        // Reasons are worked out for lists that are read, not for changes.
        return now
          ? {...now, reason: now.reason ?? (now.state === job.state ? job.reason : null)}
          : job;
      });
      this.selection.listed(this.items, false);
      this.table.set(this.items);
      if (!other && !changed.size) return;
    }
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (!this.page.signal.aborted) this.reload();
    }, 3000);
  }
}
