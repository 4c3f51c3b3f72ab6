// Keys for the whole page: `/` the filter, `g` and a letter a page, `?` this list.
import {h} from './dom.js';
import {go} from './router.js';
import {openDialog} from './dialogs.js';

const KEYS = [
  ['/', 'to the filter; from there ↓ or Enter to the table'],
  ['g, then a letter', 'o overview, q queues, p pools, j jobs, t trackers, y policy, s settings, e events'],
  ['↑ ↓ or k j', 'rows of a table, from anywhere; Home, End, Page Up and Page Down as well'],
  ['← →', 'in a row: its figures and controls, each with its explanation; tabs'],
  ['Enter', 'opens the row: why a job waits'],
  ['Space, ← →', 'in the queue tree: folds and unfolds'],
  ['Space', 'in a list of jobs: selects the job, for changes of several'],
  ['s', 'another order of the table'],
  ['m, p, x, r', 'on a job, or all that are selected: move, priority, kill; release'],
  ['Esc', 'closes dialogs and tips, leaves a field'],
  ['h or ?', 'these keys; / j k Enter s m p x r h are the same in weir top'],
];

let afterG = 0;

export function typing(event) {
  const target = event.target;
  return (target.matches?.('input:not([type=checkbox]), select, textarea, [contenteditable]') ?? false);
}

export function showKeys() {
  openDialog(
    'Keys',
    h('dl', {class: 'keys'}, KEYS.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)])),
  );
}

/** The row of the first table that is in the tab order has the focus; tells whether there is one. */
function toTable() {
  const row = document.querySelector('#main .table .t-row[tabindex="0"]');
  row?.focus({preventScroll: true});
  row?.scrollIntoView({block: 'nearest'});
  return Boolean(row);
}

// A field with a list of its own has the arrow for that.
function leavesFilter({key, target}) {
  if (!target.matches('[data-filter], .filters input')) return false;
  return key === 'Enter' || (key === 'ArrowDown' && !target.hasAttribute('list'));
}

export function startKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (typing(event)) {
      if (event.key === 'Escape') event.target.blur();
      if (leavesFilter(event) && toTable()) event.preventDefault();
      return;
    }
    if (document.querySelector('dialog[open]')) return;
    if (afterG && Date.now() - afterG < 1500) {
      afterG = 0;
      const link = document.querySelector(`#shell nav a[data-key="${CSS.escape(event.key)}"]`);
      if (link) {
        event.preventDefault();
        go(link.href);
      }
      return;
    }
    if (event.key === 'g') afterG = Date.now();
    if (event.key === '?' || event.key === 'h') showKeys();
    if ((event.key === 'j' || event.key === 'k') && toTable()) event.preventDefault();
    if (event.key === '/') {
      const field = document.querySelector('#main [data-filter]');
      if (field) {
        event.preventDefault();
        field.focus();
        field.select?.();
      }
    }
  });
}

/** Arrow keys among the items of a list of tabs or buttons; one of them is in the tab order. */
export function roving(list, selector) {
  list.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const items = [...list.querySelectorAll(selector)];
    const next = items[items.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    for (const item of items) item.tabIndex = item === next ? 0 : -1;
    next.focus();
  });
}
