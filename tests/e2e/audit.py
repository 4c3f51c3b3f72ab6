"""What a page looks like, measured in the page: text against what is behind it, figures without an explanation, and what
moved while nobody touched it."""

# Every text that can be seen and its contrast by WCAG 2: what is behind it is what is drawn below it at its middle.
CONTRAST = r"""
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 1;
const pen = canvas.getContext('2d', {willReadFrequently: true});
const known = new Map();
function rgba(colour) {
  if (!known.has(colour)) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    known.set(colour, [r, g, b, a / 255]);
  }
  return known.get(colour);
}
const over = ([r, g, b, a], below) => below.map((c, i) => [r, g, b][i] * a + c * (1 - a));
function luminance(colour) {
  const [r, g, b] = colour.map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const opacity = (one) => (one ? getComputedStyle(one).opacity * opacity(one.parentElement) : 1);
function behind(x, y, element) {
  const layers = [];
  for (const one of document.elementsFromPoint(x, y)) {
    if (one !== element && element.contains(one)) continue;
    const style = getComputedStyle(one);
    const [r, g, b, a] = rgba(style.backgroundColor);
    layers.push([r, g, b, a * opacity(one)]);
    if (layers.at(-1)[3] === 1) break;
  }
  return layers.reverse().reduce((below, layer) => over(layer, below), rgba('Canvas').slice(0, 3));
}
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const range = document.createRange();
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
  if (element.closest('script, style, noscript, option, svg, [hidden], :disabled, [aria-disabled="true"]')) continue;
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  if (box.width < 2 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
  if (!document.elementsFromPoint(x, y).some((one) => one === element || element.contains(one))) continue;
  const style = getComputedStyle(element);
  const below = behind(x, y, element);
  const [r, g, b, a] = rgba(style.color);
  const text = over([r, g, b, a * opacity(element)], below);
  const [light, dark] = [luminance(text), luminance(below)].sort((p, q) => q - p);
  const ratio = (light + 0.05) / (dark + 0.05);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5))
    found.push(`${ratio.toFixed(2)} '${node.data.trim().slice(0, 40)}' ${style.color} on ${below.map(Math.round)} ` +
               `<${element.tagName.toLowerCase()} class="${element.className}">`);
}
return found;
"""

# Figures that say nothing on hover or focus: no words of their own, of what they stand in, or of their column.
UNEXPLAINED = r"""
const found = [];
const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const text = node.data.trim();
  const element = node.parentElement;
  if (!/\d/.test(text) || !/^[\d\s.,:%\/+\u2212\u2013\u2192-]*( ?(ms|s|m|min|h|d|B|KB|MB|GB|KiB|MiB|GiB|%|\u00d7))*$/.test(text)) continue;
  if (!element.checkVisibility({visibilityProperty: true})) continue;
  if (element.closest('svg, pre, textarea, .editor, .diff, a[href], button, option, dl, [data-tip], [title], h1')) continue;
  const cell = element.closest('td, [role="gridcell"]');
  if (cell) {
    const row = cell.parentElement;
    const heads = cell.closest('table, [role="grid"]').querySelectorAll('th, [role="columnheader"]');
    const head = heads[[...row.children].indexOf(cell)];
    if (head && (head.matches('[data-tip]') || head.querySelector('[data-tip]'))) continue;
    if (head && /\b(When|Number|Launched|Submitted|Ran|Since|Opened)\b/.test(head.textContent)) continue;
    found.push(`${text} under '${head?.textContent}'`);
    continue;
  }
  found.push(`${text} <${element.tagName.toLowerCase()} class="${element.className}"> in '${element.parentElement.textContent.slice(0, 60)}'`);
}
return [...new Set(found)];
"""

# Begins to note what moves by itself.
WATCH_SHIFTS = r"""
window.weirShifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      window.weirShifts.push([entry.value, entry.sources.map((one) => one.node?.className ?? one.node?.nodeName ?? '?').join(' ')]);
}).observe({type: 'layout-shift', buffered: false});
"""
