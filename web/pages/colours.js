// A colour for each queue: by the hash of its path, and where two would have the same, the next
// one that is free. All readers of the same queues see the same colours; names stand beside them.
const COLOURS = 14;

const given = new Map();
const branches = new Set();
let known = '';

function hash(text) {
  let sum = 2166136261;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16777619);
  return (sum >>> 0) % COLOURS;
}

/** Tells which queues there are. */
export function knowQueues(queues) {
  branches.clear();
  for (const queue of queues) if (!queue.leaf) branches.add(queue.name);
  const names = queues
    .filter((queue) => queue.leaf)
    .map((queue) => queue.name)
    .sort();
  const text = names.join('\n');
  if (text === known) return;
  known = text;
  given.clear();
  const taken = new Set();
  for (const name of names) {
    let colour = hash(name);
    for (let i = 0; taken.has(colour) && i < COLOURS; i++) colour = (colour + 5) % COLOURS;
    taken.add(colour);
    if (taken.size === COLOURS) taken.clear();
    given.set(name, colour);
  }
}

/** The class that gives an element its queue's colour as var(--q); branches are grey. */
export function colourClass(queue, leaf = !branches.has(queue)) {
  return leaf ? `q${given.get(queue) ?? hash(queue ?? '')}` : 'q-parent';
}
