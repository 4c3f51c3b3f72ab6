// The attempts of a job on the trackers over time, on a canvas: a lane for each slot that was
// used, grouped by tracker. Waves are steps, stragglers are long bars, kills are red.
import {h, fill, oneLine, visible} from './dom.js';
import {clock, counted, duration, tone} from './format.js';
import {showTipAt, hideTip} from './tooltip.js';

const LANE = 10;
const GAP = 6;
const LEFT = 92;
const FOOT = 22;
const MOST_HEIGHT = 12_000;

function end(attempt, now) {
  return attempt.ended_at_ms ?? (attempt.ran_ms ? attempt.launched_at_ms + attempt.ran_ms : now);
}

/** Each attempt gets the first lane of its tracker that is free when it is launched. */
function lanesOf(attempts, now) {
  const trackers = new Map();
  const known = attempts
    .filter((one) => one.launched_at_ms)
    .sort((a, b) => a.launched_at_ms - b.launched_at_ms);
  for (const attempt of known) {
    const lanes = trackers.get(attempt.tracker) ?? [];
    trackers.set(attempt.tracker, lanes);
    let lane = lanes.find((one) => one.until <= attempt.launched_at_ms);
    if (!lane) lanes.push((lane = {until: 0, attempts: []}));
    lane.attempts.push(attempt);
    lane.until = end(attempt, now);
  }
  return {known, trackers: [...trackers].sort((a, b) => (a[0] < b[0] ? -1 : 1))};
}

const LEGEND = [
  ['l-map', 'map'],
  ['l-reduce', 'reduce'],
  ['l-run', 'still running'],
  ['l-spec', 'speculative'],
  ['l-bad', 'failed or killed'],
];

// Groups of an application have the colours of maps and reduces, then those that queues have.
const groupClass = (i) => ['l-map', 'l-reduce'][i] ?? `l-group q${(5 * i) % 14}`;
const groupOf = ({attempt}) => Number(/_g(\d+)_/.exec(attempt)?.[1] ?? -1);

export function swimlanes() {
  const legend = h('div', {class: 'legend'});
  const canvas = h('canvas', {class: 'lanes', role: 'img'});
  const box = h('div', {class: 'lanes-box'}, canvas, legend);
  let kinds = [];
  const drawLegend = (groups) => {
    const shown = groups.length
      ? [...groups.map((name, i) => [groupClass(i), visible(name)]), LEGEND[2], LEGEND[4]]
      : LEGEND;
    if (legend.children.length === shown.length) return;
    const samples = shown.map(([cls]) => h('i', {class: 'sample ' + cls}));
    kinds = samples.slice(0, groups.length);
    fill(legend, shown.map(([, text], i) => h('span', {class: 'legend-item'}, samples[i], text)));
  };
  let boxes = [];
  let last = null;

  function draw(attempts, now, groups = []) {
    last = [attempts, now, groups];
    drawLegend(groups);
    const kindColours = kinds.map((sample) => getComputedStyle(sample).backgroundColor);
    const {known, trackers} = lanesOf(attempts, now);
    const laneCount = trackers.reduce((sum, [, lanes]) => sum + lanes.length, 0);
    const lane = Math.max(2, Math.min(LANE, Math.floor((MOST_HEIGHT - 200) / Math.max(1, laneCount))));
    const height = laneCount * lane + trackers.length * GAP + FOOT + 4;
    const width = Math.max(280, box.clientWidth);
    const ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.setProperty('width', `${width}px`);
    canvas.style.setProperty('height', `${height}px`);
    canvas.setAttribute(
      'aria-label',
      `${counted(known.length, 'attempt')} on ${counted(trackers.length, 'tracker')} over ` +
        'time; the list of attempts below has each of them.',
    );
    const css = getComputedStyle(box);
    const colour = (name) => css.getPropertyValue(name).trim();
    const draw2d = canvas.getContext('2d');
    draw2d.scale(ratio, ratio);
    draw2d.font = '12px system-ui, sans-serif';
    boxes = [];
    if (!known.length) return;
    const t0 = known[0].launched_at_ms;
    const t1 = Math.max(t0 + 1000, ...known.map((one) => end(one, now)));
    const x = (t) => LEFT + ((t - t0) / (t1 - t0)) * (width - LEFT - 8);
    let y = 2;
    for (const [tracker, lanes] of trackers) {
      draw2d.fillStyle = colour('--muted');
      draw2d.fillText(tracker.length > 13 ? tracker.slice(0, 12) + '…' : tracker, 0, y + 10);
      draw2d.fillStyle = colour('--band');
      draw2d.fillRect(LEFT, y, width - LEFT - 8, lanes.length * lane);
      for (const one of lanes) {
        for (const attempt of one.attempts) {
          const from = x(attempt.launched_at_ms);
          const wide = Math.max(1.5, x(end(attempt, now)) - from - 0.75);
          const bad = tone(attempt.state) === 'bad';
          const running = !attempt.ended_at_ms && !bad;
          draw2d.globalAlpha = running ? 0.55 : 1;
          const group = bad ? null : kindColours[groupOf(attempt)];
          draw2d.fillStyle =
            group ??
            colour(
              bad
                ? '--bad'
                : attempt.speculative
                  ? '--spec'
                  : attempt.kind === 'reduce'
                    ? '--reduce'
                    : '--map',
            );
          draw2d.fillRect(from, y + 1, wide, lane - 2);
          draw2d.globalAlpha = 1;
          boxes.push({from, to: from + wide, top: y, bottom: y + lane, attempt});
        }
        y += lane;
      }
      y += GAP;
    }
    draw2d.fillStyle = colour('--muted');
    const ticks = Math.max(1, Math.min(6, Math.floor(width / 150)));
    for (let i = 0; i <= ticks; i++) {
      draw2d.textAlign = i === 0 ? 'left' : i === ticks ? 'right' : 'center';
      const t = t0 + ((t1 - t0) * i) / ticks;
      draw2d.fillText(`${clock(t)} +${duration(t - t0)}`.slice(0, i ? 20 : 8), x(t), y + 12);
    }
    draw2d.textAlign = 'left';
  }

  canvas.addEventListener('pointermove', (event) => {
    const at = canvas.getBoundingClientRect();
    const px = event.clientX - at.left;
    const py = event.clientY - at.top;
    const hit = boxes.find((one) => px >= one.from - 1 && px <= one.to + 1 && py >= one.top && py < one.bottom);
    if (!hit) return hideTip();
    const one = hit.attempt;
    showTipAt(
      event.clientX,
      event.clientY,
      `${one.attempt} on ${one.tracker}: ${one.state}, ` +
        `launched ${clock(one.launched_at_ms)}, ran ` +
        `${duration(one.ran_ms ?? Date.now() - one.launched_at_ms)}` +
        (one.speculative ? ', speculative' : '') +
        (one.diagnostics ? `. ${oneLine(one.diagnostics)}` : '.'),
    );
  });
  canvas.addEventListener('pointerleave', hideTip);
  new ResizeObserver(() => last && draw(...last)).observe(box);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => last && draw(...last));
  return {element: box, set: draw, clear: () => fill(box)};
}
