// Keys for the whole page: `/` the filter, `g` and a letter a page, `?` this list.
import {h} from './dom.js';
import {go} from './router.js';
import {openDialog} from './dialogs.js';

const KEYS = [
  ['/', 'to the filter of the page'],
  [
    'g, then a letter',
    'o overview, q queues, p pools, j jobs, t trackers, y policy, s settings, e events',
  ],
  ['↑ ↓ or j k', 'rows of a table; Home, End, Page Up and Page Down as well'],
  ['← →', 'in a row: its figures and controls, each with its explanation; tabs'],
  ['Enter', 'opens the row'],
  ['Space, ← →', 'in the queue tree: folds and unfolds'],
  ['m, p, x, r', 'on a job: move, priority, kill, release'],
  ['Esc', 'closes dialogs and tips, leaves a field'],
  ['?', 'these keys'],
];

let afterG = 0;

export function typing(event) {
  const target = event.target;
  return target.matches?.('input, select, textarea, [contenteditable]') ?? false;
}

export function showKeys() {
  openDialog(
    'Keys',
    h(
      'dl',
      {class: 'keys'},
      KEYS.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)]),
    ),
  );
}

export function startKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (typing(event)) {
      if (event.key === 'Escape') event.target.blur();
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
    if (event.key === '?') showKeys();
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
