// Tables of any length: only the rows in view are in the page, and they are drawn again only where
// they differ. The page itself scrolls. Arrow keys go from row to row, and with left and right
// from figure to figure within one; one row at a time is in the tab order.
//
// A column: {key, label, tip, width, from, right, sort, text(item) or draw(cell, item)}; `from` is
// the least width of the table, in pixels, at which the column is shown, `upTo` the first at which
// it is not. A column of names has, instead of `width`, `least` and names: {of(item), beside(item)}:
// it is as wide as the longest of them, with the pixels beside it, up to a part of the table.
import {h, fill, setText} from './dom.js';
import {widest} from './names.js';

const PRINTED_ROWS = 500; // paper has no rows to scroll to
const SPARE_ROWS = 6;
// Of the table's width, for a column of names: where there are few others, and else (or `part`).
const NAMES_PART = {few: 0.5, many: 0.36};
const FEW_BELOW = 660; // pixels

export class Table {
  constructor({
    columns,
    rowHeight = 34,
    keyOf,
    hrefOf = null,
    label,
    rowClass = null,
    sort = null,
    onSort = null,
    onKey = null,
    onEnd = null,
    empty = null,
    narrow = null,
  }) {
    Object.assign(this, {
      columns,
      rowHeight,
      wideHeight: rowHeight,
      narrow,
      keyOf,
      hrefOf,
      rowClass,
      sort,
      onSort,
      onKey,
      onEnd,
      emptyState: empty,
    });
    this.items = [];
    this.rows = new Map(); // key -> row element
    this.longest = new Map(); // key of a column of names -> pixels of the longest
    this.active = null; // key of the row in the tab order
    this.head = h('div', {class: 't-head', role: 'row'});
    this.body = h('div', {class: 't-body', role: 'rowgroup'});
    this.note = h('div', {class: 't-note'});
    this.element = h(
      'div',
      {class: 'table', role: 'grid', 'aria-label': label, 'aria-rowcount': 0},
      this.head,
      this.body,
      this.note,
    );
    this.body.addEventListener('keydown', (event) => this.pressed(event));
    this.body.addEventListener('focusin', (event) => this.focused(event));
    this.scrolled = () => this.schedule();
    this.resizer = new ResizeObserver(() => this.layOut());
  }

  /** Puts the table into the page, for as long as the page lives. */
  mount(page, place) {
    place.append(this.element);
    window.addEventListener('scroll', this.scrolled, {passive: true, signal: page.signal});
    window.addEventListener('resize', this.scrolled, {signal: page.signal});
    this.resizer.observe(this.element);
    matchMedia('print').addEventListener('change', ({matches}) => this.print(matches), {
      signal: page.signal,
    });
    page.signal.addEventListener('abort', () => this.resizer.disconnect());
    this.layOut();
    return this;
  }

  set(items) {
    this.items = items;
    this.element.setAttribute('aria-rowcount', items.length + 1);
    this.body.style.setProperty('height', `${items.length * this.rowHeight}px`);
    if (this.emptyState) fill(this.note, items.length ? null : this.emptyState());
    this.layColumns();
    this.draw(true);
  }

  /** As many rows as go on paper, and no room for others; or again those in view. */
  print(printing) {
    this.printing = printing;
    const rows = printing ? Math.min(this.items.length, PRINTED_ROWS) : this.items.length;
    this.body.style.setProperty('height', `${rows * this.rowHeight}px`);
    this.draw();
  }

  /** What was once wide stays so: columns do not move while one reads. */
  widthOf({key, width, least, names}) {
    if (!names) return width;
    const all = new Map();
    for (const item of this.items) {
      const one = [names.of(item), names.beside(item)];
      all.set(one.join('\n'), one);
    }
    const longest = Math.max(this.longest.get(key) ?? 0, widest([...all.values()], this.element));
    this.longest.set(key, longest);
    const whole = this.element.clientWidth;
    const part = whole < FEW_BELOW ? NAMES_PART.few : (names.part ?? NAMES_PART.many);
    const most = Math.min(longest, Math.floor(whole * part));
    return `minmax(${least}px, ${Math.max(least, most)}px)`;
  }

  layColumns() {
    if (!this.shown || !this.element.isConnected) return;
    const columns = this.shown.map((column) => this.widthOf(column)).join(' ');
    if (columns !== this.laid) this.element.style.setProperty('--columns', columns);
    this.laid = columns;
  }

  layOut() {
    const width = this.element.clientWidth;
    const isNarrow = Boolean(this.narrow && width < this.narrow.below);
    const shown = this.columns.filter(
      (column) => width >= (column.from ?? 0) && width < (column.upTo ?? Infinity),
    );
    const signature = shown.map((column) => column.key).join() + isNarrow;
    if (signature === this.signature) {
      this.layColumns();
      return this.draw();
    }
    this.signature = signature;
    this.shown = shown;
    this.layColumns();
    this.rowHeight = isNarrow ? this.narrow.rowHeight : this.wideHeight;
    this.element.style.setProperty('--row-height', `${this.rowHeight}px`);
    this.element.classList.toggle('narrow', isNarrow);
    this.body.style.setProperty('height', `${this.items.length * this.rowHeight}px`);
    this.drawHead();
    const held = document.activeElement.closest?.('.t-row');
    const key = this.body.contains(held) ? held.key : undefined;
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.draw(true);
    if (key !== undefined) this.rows.get(key)?.focus({preventScroll: true});
  }

  drawHead() {
    fill(
      this.head,
      this.shown.map((column) => {
        const by = this.sort?.replace(/^-/, '') === column.sort;
        const direction =
          by && column.sort ? (this.sort.startsWith('-') ? 'descending' : 'ascending') : null;
        const cell = h('div', {
          class: 't-h' + (column.right ? ' right' : ''),
          role: 'columnheader',
          'aria-sort': direction,
        });
        const props = {tip: column.tip, class: direction ? 'sorted ' + direction : ''};
        if (column.head) {
          cell.append(column.head);
        } else if (column.sort && this.onSort) {
          cell.append(h('button', {...props, on: {click: () => this.turnSort(column)}}, column.label));
        } else {
          cell.append(h('span', {...props, tabindex: column.tip ? 0 : null}, column.label));
        }
        return cell;
      }),
    );
  }

  turnSort(column) {
    const first = column.descending ? '-' + column.sort : column.sort;
    const other = column.descending ? column.sort : '-' + column.sort;
    this.sort = this.sort === first ? other : first;
    this.drawHead();
    this.onSort(this.sort);
  }

  /** The order by the next column that has one. */
  nextSort() {
    const columns = this.shown.filter((column) => column.sort);
    const now = this.sort?.replace(/^-/, '') ?? columns[0]?.sort;
    const at = columns.findIndex((column) => column.sort === now);
    if (columns.length) this.turnSort(columns[(at + 1) % columns.length]);
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  range() {
    if (this.printing) return [0, Math.min(this.items.length, PRINTED_ROWS)];
    const top = this.body.getBoundingClientRect().top;
    const first = Math.floor(-top / this.rowHeight) - SPARE_ROWS;
    const count = Math.ceil(innerHeight / this.rowHeight) + 2 * SPARE_ROWS;
    const from = Math.max(0, Math.min(first, this.items.length));
    return [from, Math.max(from, Math.min(this.items.length, first + count))];
  }

  draw(changed = false) {
    if (!this.shown || !this.element.isConnected) return;
    const [from, to] = this.range();
    const wanted = new Set();
    for (let i = from; i < to; i++) wanted.add(this.keyOf(this.items[i]));
    const held = this.body.contains(document.activeElement)
      ? document.activeElement.closest('.t-row')
      : null;
    // Out of view it stays; gone from the list it gives the focus to what is in its place.
    const gone = held && changed && !this.items.some((item) => this.keyOf(item) === held.key);
    const keep = gone ? null : held;
    const place = gone ? held.index : 0;
    this.spare = [];
    for (const [key, row] of this.rows) {
      if (wanted.has(key) || row === keep) continue;
      this.spare.push(row);
      this.rows.delete(key);
    }
    if (!wanted.has(this.active) && !keep)
      this.active = from < to ? this.keyOf(this.items[from]) : null;
    for (let i = from; i < to; i++) this.drawRow(i, changed);
    for (const row of this.spare) row.remove();
    this.openCut();
    if (gone) this.focusIndex(place);
    if (this.onEnd && to >= this.items.length - 20 && this.items.length) this.onEnd();
  }

  /** What is cut in a column of sentences can be opened: by the pointer, a click, the arrow keys. */
  openCut() {
    const cells = [...this.body.querySelectorAll('.whole')];
    const cut = cells.map((cell) => {
      const text = cell.firstElementChild ?? cell;
      return text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight;
    });
    cells.forEach((cell, i) => {
      if (cut[i]) cell.dataset.tip = cell.textContent;
      else delete cell.dataset.tip;
    });
  }

  drawRow(index, changed) {
    const item = this.items[index];
    const key = this.keyOf(item);
    let row = this.rows.get(key);
    const isNew = !row;
    if (isNew) {
      // What has scrolled out of view becomes a row of what has come into it.
      row = this.spare.pop() ?? this.makeRow();
      row.key = key;
      this.rows.set(key, row);
    }
    if (row.index !== index) {
      row.index = index;
      row.style.setProperty('transform', `translateY(${index * this.rowHeight}px)`);
      row.setAttribute('aria-rowindex', index + 2);
    }
    const tab = key === this.active ? 0 : -1;
    if (row.tabIndex !== tab) this.setTab(row, tab);
    if (isNew || (changed && row.item !== item) || row.always) this.fillRow(row, item);
    if (isNew) {
      this.setTab(row, tab);
      if (!row.isConnected) this.body.append(row);
    }
  }

  makeRow() {
    const row = h(
      'div',
      {
        class: 't-row',
        role: 'row',
        on: {
          click: (event) => this.clicked(event, row),
          dblclick: (event) => event.preventDefault(),
        },
      },
      this.shown.map((column) =>
        h('div', {
          role: 'gridcell',
          class:
            't-c' +
            (column.right ? ' right' : '') +
            (column.className ? ' ' + column.className : ''),
        }),
      ),
    );
    return row;
  }

  fillRow(row, item) {
    row.item = item;
    const extra = this.rowClass?.(item) ?? '';
    if (row.extra !== extra) {
      row.extra = extra;
      row.className = 't-row ' + extra;
    }
    this.shown.forEach((column, i) => {
      const cell = row.children[i];
      if (column.text) setText(cell, column.text(item));
      else column.draw(cell, item);
    });
    this.setTab(row, row.tabIndex);
  }

  /** Every row in view is drawn again, as where a clock runs in them. */
  redraw() {
    for (const row of this.rows.values()) if (row.item) this.fillRow(row, row.item);
  }

  setTab(row, tab) {
    row.tabIndex = tab;
    for (const inner of row.querySelectorAll('a, button, select, input')) inner.tabIndex = tab;
  }

  clicked(event, row) {
    if (!this.hrefOf || event.target.closest('a, button, select, input, label')) return;
    if (getSelection()?.toString()) return;
    this.enter(row);
  }

  enter(row) {
    const a = row.querySelector('a[href]');
    if (this.hrefOf && a) a.click();
  }

  focused(event) {
    const row = event.target.closest('.t-row');
    if (!row || row.key === this.active) return;
    const before = this.rows.get(this.active);
    if (before) this.setTab(before, -1);
    this.active = row.key;
    this.setTab(row, 0);
  }

  focusIndex(index) {
    const at = Math.max(0, Math.min(this.items.length - 1, index));
    if (!this.items.length) return;
    const top = this.body.getBoundingClientRect().top + scrollY + at * this.rowHeight;
    const upper = scrollY + 120;
    const lower = scrollY + innerHeight - this.rowHeight - 24;
    if (top < upper) window.scrollTo(0, top - 120);
    else if (top > lower) window.scrollTo(0, top - innerHeight + this.rowHeight + 24);
    this.draw();
    this.rows.get(this.keyOf(this.items[at]))?.focus({preventScroll: true});
  }

  pressed(event) {
    const typed = event.target.matches('select, input:not([type=checkbox])');
    if (typed && event.key !== 'Escape') return;
    const row = event.target.closest('.t-row');
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const onRow = event.target === row;
    const pageRows = Math.max(1, Math.floor(innerHeight / this.rowHeight) - 4);
    const to = {
      ArrowDown: row.index + 1,
      j: row.index + 1,
      ArrowUp: row.index - 1,
      k: row.index - 1,
      Home: 0,
      End: this.items.length - 1,
      PageDown: row.index + pageRows,
      PageUp: row.index - pageRows,
    }[event.key];
    if (to !== undefined) this.focusIndex(to);
    else if (event.key === 'Enter' && onRow) this.enter(row);
    else if (event.key === 'Escape' && !onRow) row.focus();
    else if (event.key === 's' && this.onSort) this.nextSort();
    else if (onRow && this.onKey?.(event, row.item)) {
      /* The page has taken it. */
    } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') this.alongRow(row, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  alongRow(row, event) {
    const stops = [...row.querySelectorAll('a, button, select, input, [data-tip]')];
    const at = stops.indexOf(document.activeElement);
    const next = stops[at + (event.key === 'ArrowRight' ? 1 : -1)];
    if (next) {
      if (next.tabIndex < 0 && !next.matches('a, button, select, input')) next.tabIndex = -1;
      next.focus();
    } else if (event.key === 'ArrowLeft') {
      row.focus();
    }
  }
}
