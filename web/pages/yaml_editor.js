// A text area with line numbers and, under it, the same text with what is wrong underlined where
// it is. Tab leaves it, as every field: indentation is by space.
import {h, fill} from './dom.js';

const LINE = 19;

export class YamlEditor {
  constructor(onInput) {
    this.gutter = h('div', {class: 'gutter', 'aria-hidden': 'true'});
    this.under = h('pre', {'aria-hidden': 'true'});
    this.text = h('textarea', {
      'aria-label': 'Settings, YAML',
      spellcheck: 'false',
      autocapitalize: 'off',
      autocomplete: 'off',
      wrap: 'off',
      'data-filter': false,
      on: {
        input: () => {
          this.drawLines();
          this.mark([]);
          onInput();
        },
        scroll: () => this.follow(),
      },
    });
    this.element = h(
      'div',
      {class: 'editor'},
      this.gutter,
      h('div', {class: 'editor-text'}, this.under, this.text),
    );
    this.findings = [];
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.drawLines();
    this.mark([]);
  }

  follow() {
    this.under.scrollTop = this.gutter.scrollTop = this.text.scrollTop;
    this.under.scrollLeft = this.text.scrollLeft;
  }

  drawLines() {
    const count = this.value.split('\n').length;
    if (this.gutter.children.length === count + 1) return;
    fill(this.gutter, Array.from({length: count}, (_, i) => h('div', {}, i + 1)), h('div', {}, '\u00a0'));
    this.follow();
  }

  /** Underlines each {line, column, warning, message} from its column to the end of the word. */
  mark(findings) {
    this.findings = findings;
    const byLine = new Map();
    for (const one of findings)
      if (one.line > 0 && !one.elsewhere && !byLine.has(one.line)) byLine.set(one.line, one);
    const lines = this.value.split('\n');
    fill(
      this.under,
      lines.map((line, i) => {
        const one = byLine.get(i + 1);
        if (!one) return line + '\n';
        const from = Math.max(0, Math.min(line.length, one.column - 1));
        const word = /^("[^"]*"|'[^']*'|[^\s,:}\]]+|.)/.exec(line.slice(from))?.[0].length ?? 0;
        return [
          line.slice(0, from),
          h('mark', {class: one.warning ? 'warning' : ''}, line.slice(from, from + word) || ' '),
          line.slice(from + word) + '\n',
        ];
      }),
      '\n\n',
    );
    [...this.gutter.children].forEach((row, i) => {
      const one = byLine.get(i + 1);
      row.className = one ? (one.warning ? 'warned' : 'at') : '';
      if (one) row.title = one.message;
      else row.removeAttribute('title');
    });
    this.follow();
  }

  goTo(one) {
    const lines = this.value.split('\n');
    const start =
      lines.slice(0, one.line - 1).reduce((sum, line) => sum + line.length + 1, 0) +
      Math.max(0, one.column - 1);
    this.text.focus();
    this.text.setSelectionRange(start, start);
    this.text.scrollTop = Math.max(0, (one.line - 6) * LINE);
    this.follow();
  }
}

/** The lines that differ, with three around them: [[' ' | '+' | '-' | '…', text]]. */
export function lineDiff(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail++;
  const from = a.slice(head, a.length - tail);
  const to = b.slice(head, b.length - tail);
  const middle =
    from.length * to.length > 4_000_000
      ? [...from.map((x) => ['-', x]), ...to.map((x) => ['+', x])]
      : longest(from, to);
  const all = [
    ...a.slice(0, head).map((x) => [' ', x]),
    ...middle,
    ...a.slice(a.length - tail).map((x) => [' ', x]),
  ];
  const near = (i) => all.slice(Math.max(0, i - 3), i + 4).some(([sign]) => sign !== ' ');
  const out = [];
  all.forEach((row, i) => {
    if (near(i)) out.push(row);
    else if (out.length === 0 || out[out.length - 1][0] !== '…') out.push(['…', '']);
  });
  return out.some(([sign]) => sign === '+' || sign === '-') ? out : [];
}

/** By the longest common subsequence. */
function longest(a, b) {
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] =
        a[i] === b[j]
          ? length[(i + 1) * width + j + 1] + 1
          : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push([' ', a[i++]]);
      j++;
    } else if (j >= b.length || (i < a.length && length[(i + 1) * width + j] >= length[i * width + j + 1]))
      out.push(['-', a[i++]]);
    else out.push(['+', b[j++]]);
  }
  return out;
}

export function diffElement(before, after) {
  const rows = lineDiff(before, after);
  if (!rows.length) return h('p', {class: 'muted'}, 'The text is the same.');
  return h(
    'div',
    {class: 'diff'},
    rows.map(([sign, text]) =>
      h('div', {class: {'+': 'add', '-': 'del', '…': 'gap'}[sign] ?? ''}, `${sign} ${text}`),
    ),
  );
}
