// A list of jobs as long as the cluster has them: the next page of the API is read when one scrolls
// near the end, and changes that the stream tells replace the rows they are of.
import {read, withQuery} from './api.js';
import {jobTable} from './job_cells.js';
import {failure, loading} from './states.js';
import {h, fill} from './dom.js';

const PAGE = 500;

export class JobList {
  /** `onCount(shown, total or null)` is told how many there are. */
  constructor(page, place, {queue = true, onSort = null, sort = null, empty, onCount = null}) {
    Object.assign(this, {page, place, onCount});
    this.items = [];
    this.path = '/jobs';
    this.note = h('div', {}, loading());
    this.table = jobTable({queue, label: 'Jobs', sort, onSort, empty, onEnd: () => this.more()});
    place.append(this.note);
    this.table.mount(page, place);
    page.on('jobs', (data) => this.heard(data));
    page.every(4000, () => this.table.redraw());
  }

  ask(filters) {
    this.filters = filters;
    this.items = [];
    this.generation = (this.generation ?? 0) + 1;
    this.cursor = null;
    return this.reload();
  }

  async fetch(cursor, limit) {
    const mine = this.generation;
    const {value, headers} = await read(withQuery('/jobs', {...this.filters, limit, cursor}),
      {signal: this.page.signal});
    if (mine !== this.generation) return null;
    const total = headers.get('X-Weir-Total');
    return {value, next: headers.get('X-Weir-Next-Cursor'), total: total === null ? null : Number(total)};
  }

  /** Reads anew what is shown, from the first row on. */
  async reload() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      const got = await this.fetch(null, Math.max(PAGE, Math.min(2000, this.items.length)));
      if (got) {
        const ids = new Set(got.value.map((job) => job.number));
        const rest = got.next && this.cursor ? this.items.slice(got.value.length).filter((job) => !ids.has(job.number)) : [];
        this.show([...got.value, ...rest], rest.length ? this.cursor : got.next, got.total);
      }
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (error.status || !this.items.length) fill(this.note, failure(error, () => this.reload()));
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
      if (got) this.show([...this.items, ...got.value], got.next, got.total);
    } catch { /* The banner says what is wrong; scrolling asks again. */ } finally {
      this.busy = false;
    }
  }

  show(items, next, total) {
    this.items = items;
    this.cursor = next;
    if (total !== undefined) this.total = total;
    fill(this.note);
    this.table.set(items);
    this.onCount?.(items.length, this.total ?? (next ? null : items.length));
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
        return now ? {...now, reason: now.reason ?? (now.state === job.state ? job.reason : null)} : job;
      });
      this.table.set(this.items);
      if (!other && !changed.size) return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => !this.page.signal.aborted && this.reload(), 2000);
  }
}
