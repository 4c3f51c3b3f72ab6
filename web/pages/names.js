// Names that do not fit, cut so that those shown together stay apart: what a path has between its
// ends goes first, then letters from the middle of its longest part. The whole is in the title.
import {setText, visible} from './dom.js';

const DOTS = '…';
const LEAST = 3; // letters of a part: a…z

/** So many letters of a part, from its beginning and its end: lang…ding. */
function middle(part, letters) {
  if (part.length <= letters) return part.join('');
  const end = Math.floor((letters - 1) / 2);
  return part.slice(0, letters - 1 - end).join('') + DOTS + part.slice(part.length - end).join('');
}

/** The longest part loses letters until all of it fits. */
function shortened(parts, fits) {
  const lengths = parts.map((part) => part.length);
  for (;;) {
    const text = parts.map((part, i) => middle(part, lengths[i])).join('.');
    if (fits(text)) return text;
    const most = Math.max(...lengths);
    if (most <= LEAST) return null;
    lengths[lengths.indexOf(most)] -= 1;
  }
}

/** Its first part and as many of the last as fit. */
function ends(parts, fits) {
  for (let left = parts.length - 2; left > 0; left--) {
    const text = [parts[0], [DOTS], ...parts.slice(-left)].map((part) => part.join('')).join('.');
    if (fits(text)) return text;
  }
  return parts.length > 2 ? shortened([parts[0], [DOTS], parts.at(-1)], fits) : null;
}

function alike(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The letters around those in which it differs from the others. */
function around(letters, others, fits) {
  const differ = others.map((other) => alike(letters, [...other]));
  const text = (from, to) =>
    (from ? DOTS : '') + letters.slice(from, to).join('') + (to < letters.length ? DOTS : '');
  let from = Math.min(...differ);
  let to = Math.min(letters.length, Math.max(...differ) + 1);
  if (!fits(text(from, to))) return null;
  for (let grown = true; grown; ) {
    grown = false;
    if (to < letters.length && fits(text(from, to + 1))) [to, grown] = [to + 1, true];
    if (from && fits(text(from - 1, to))) [from, grown] = [from - 1, true];
  }
  return text(from, to);
}

const partsOf = (name) => name.split('.').map((part) => [...part]);
const WAYS = [
  ({name, fits}) => (fits(name) ? name : null),
  ({name, fits}) => ends(partsOf(name), fits),
  ({name, fits}) => shortened(partsOf(name), fits),
  ({name, fits}, others) => (others.length ? around([...name], others, fits) : null),
];

/** Texts for names that are shown together: `wanted` is [{name, fits(text)}]. */
export function cutNames(wanted) {
  const cut = wanted.map((one) => ({...one, way: -1, text: one.name}));
  const next = (one, others = []) => {
    for (let way = one.way + 1; way < WAYS.length; way++) {
      const text = WAYS[way](one, others);
      if (text !== null) return Object.assign(one, {way, text});
    }
    return null;
  };
  for (const one of cut) next(one);
  for (let again = true; again; ) {
    again = false;
    for (const same of Map.groupBy(cut, (one) => one.text).values()) {
      const names = new Set(same.map((one) => one.name));
      if (names.size < 2) continue;
      for (const one of same)
        if (next(one, [...names].filter((name) => name !== one.name))) again = true;
    }
  }
  return cut.map((one) => one.text);
}

const pen = document.createElement('canvas').getContext('2d');

// The shorthand is empty where figures are tabular.
function fontOf(element) {
  const {fontWeight, fontSize, fontFamily} = getComputedStyle(element);
  return `${fontWeight} ${fontSize} ${fontFamily}`;
}

function width(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** How wide the longest of [text, pixels beside it] is, as the element would write it. */
export function widest(list, element) {
  const font = fontOf(element);
  return Math.ceil(Math.max(0, ...list.map(([text, beside]) => width(visible(text), font) + beside)));
}

const TOGETHER = '.t-body, ul, table, .panel, main';
let waiting = new Set();
const resized = new ResizeObserver((entries) =>
  new Set(entries.map(({target}) => target.closest(TOGETHER))).forEach(fit),
);

function fit(place) {
  if (!place?.isConnected) return;
  const paths = [...place.querySelectorAll('.path')];
  for (const one of paths) {
    setText(one, visible(one.whole));
    for (const each of [one.parentElement, ...one.parentElement.children])
      if (each !== one) resized.observe(each);
  }
  const wanted = paths.map((one) => {
    const room = one.clientWidth;
    const name = visible(one.whole);
    if (one.scrollWidth <= room) return {name, fits: () => true};
    const font = fontOf(one);
    return {name, fits: (text) => width(text, font) <= room};
  });
  const texts = cutNames(wanted);
  paths.forEach((one, i) => setText(one, texts[i]));
}

/** A queue's or pool's path, in an element that may be too narrow for it. */
export function setPath(element, path) {
  if (element.whole === path) return;
  element.whole = path;
  element.classList.add('path');
  element.title = visible(path);
  setText(element, visible(path));
  if (!waiting.size)
    queueMicrotask(() => {
      const places = new Set([...waiting].map((one) => one.closest(TOGETHER)));
      waiting = new Set();
      places.forEach(fit);
    });
  waiting.add(element);
}
