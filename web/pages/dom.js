// Makes elements. Whatever comes from a user becomes a text node: there is no way from here to
// markup, and no style attribute, so that the strictest Content-Security-Policy holds.

const SVG = 'http://www.w3.org/2000/svg';

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith('aria-')) element.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name === 'class') element.setAttribute('class', value);
    else if (name === 'on') {
      for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
    } else if (name === 'vars') setVars(element, value);
    else if (name === 'tip') element.dataset.tip = value;
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** CSS custom properties of an element, such as {r: 0.4} for --r. */
export function setVars(element, vars) {
  for (const [name, value] of Object.entries(vars)) {
    element.style.setProperty('--' + name, String(value));
  }
}

export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  set(element, props);
  append(element, children);
  return element;
}

export const panelOf = (...children) => h('section', {class: 'panel'}, children);

export function svg(tag, props = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  set(element, props);
  append(element, children);
  return element;
}

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';
const nameOf = (element) => element.getAttribute('href') ?? element.textContent;

/** The focus goes there, or where nothing is left to have it to the panel around. */
function focusFirst(one, element) {
  if (one) return one.focus({preventScroll: true});
  const panel = element.closest('.panel, dialog, main') ?? element;
  if (!panel.hasAttribute('tabindex')) panel.tabIndex = -1;
  panel.focus({preventScroll: true});
}

/** The children become exactly these. What had the focus has it again, or what is in its place. */
export function fill(element, ...children) {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  const before = held && held !== element ? [...element.querySelectorAll(FOCUSABLE)] : [];
  element.replaceChildren();
  append(element, children);
  if (before.length && !element.contains(held)) {
    const now = [...element.querySelectorAll(FOCUSABLE)];
    const place = before.indexOf(held);
    const same = now.filter((one) => nameOf(one) === nameOf(held));
    const alike = before.filter((one) => nameOf(one) === nameOf(held)).indexOf(held);
    focusFirst(same[alike] ?? same[0] ?? now[place] ?? now.at(-1), element);
  }
  return element;
}

/** Sets the text only where it differs: what did not change is not laid out again. */
export function setText(element, text) {
  const wanted = String(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

// Characters that hide, or turn the direction of what follows, are shown by their number. The
// joiner U+200D stays: emoji are made with it.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

export function visible(text) {
  return String(text ?? '').replace(HIDDEN, (c) => '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));
}

/** A text of several lines, as what a task printed last: "one | two", or "one: two"; null stays. */
export function oneLine(text) {
  if (text === null || text === undefined) return null;
  const lines = String(text).split(/\r?\n/).map((line) => line.trim());
  const join = (all, line) => all + (all.endsWith(':') ? ' ' : ' | ') + line;
  return lines.filter((line) => line).reduce((all, line) => (all ? join(all, line) : line), '');
}


export function link(href, ...children) {
  return h('a', {href}, ...children);
}
