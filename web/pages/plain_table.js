// A plain table: few rows, all of them drawn, nothing to sort; and a list of facts. For lists of any
// length there is table.js.
import {h, fill, setText} from './dom.js';

/** `heads` are the texts of columns, or [text, tip, class of the column]. */
function headRow(heads) {
  return h(
    'thead',
    {},
    h(
      'tr',
      {},
      heads.map(([text, tip, className]) =>
        h('th', {class: className}, tip ? h('span', {tip, tabindex: 0}, text) : text),
      ),
    ),
  );
}

/** Rows are lists of cells: text, an element, a list of these, or a `td` that is made already. */
export function plainRows(heads, rows) {
  const columns = heads.map((head) => [head].flat());
  return rows.map((cells) =>
    h(
      'tr',
      {},
      cells.map((cell, i) =>
        cell instanceof HTMLTableCellElement ? cell : h('td', {class: columns[i][2]}, cell),
      ),
    ),
  );
}

export function plainTable(heads, rows) {
  return h(
    'table',
    {class: 'plain'},
    headRow(heads.map((head) => [head].flat())),
    h('tbody', {}, plainRows(heads, rows)),
  );
}

/** The same where it may be wider than its place, which then scrolls. */
export function wideTable(heads, rows) {
  return h('div', {class: 'scroll-x'}, plainTable(heads, rows));
}

/** Shows [what, value, tip] as a list of facts. What stays is left where it is, and keeps the focus. */
export function showFacts(place, list) {
  const keys = list.map(([what]) => what).join('\n');
  if (place.keys !== keys) {
    place.keys = keys;
    fill(
      place,
      h(
        'dl',
        {class: 'facts'},
        list.map(([what, , tip]) => [h('dt', {tip, tabindex: tip ? 0 : null}, what), h('dd', {})]),
      ),
    );
  }
  const values = place.querySelectorAll('dd');
  list.forEach(([, value], i) => {
    if (!(value instanceof Node)) setText(values[i], value);
    else if (!values[i].firstChild?.isEqualNode(value)) fill(values[i], value);
  });
}
