// What whoever acts here may do, by the lists that each queue publishes (those above it are in
// them): only to offer what can be done. The JobTracker decides.
import {user} from './api.js';

export const isOver = (job) => ['SUCCEEDED', 'FAILED', 'KILLED'].includes(job.state);

/** Groups are not known here: the pages send none. Nobody has said who he is: all is offered. */
const listed = (list) =>
  (list ?? null) === null || !user() || list.includes('*') || list.includes(user());

/** Kill, move, priority, release: the owner, or who administers its queue. */
export function mayChange(job, queue) {
  return job.user === user() || listed(queue?.administer);
}

export function mayBeChanged(job) {
  return !isOver(job);
}

/** The leaves that take jobs (none above them is stopped) and to which one may submit. */
export function openTo(queues, except = []) {
  const stopped = new Set(queues.filter((one) => one.state === 'STOPPED').map((one) => one.name));
  const closed = (name) =>
    name.split('.').some((_, i, parts) => stopped.has(parts.slice(0, i + 1).join('.')));
  return queues.filter(
    (one) => one.leaf && !except.includes(one.name) && !closed(one.name) && listed(one.submit),
  );
}

/** Under capacity queues go by submit time, unless they are told to go by priority. */
export function priorityCounts(policy, queue) {
  return policy !== 'capacity' || Boolean(queue?.priorities);
}

export const PRIORITY = {
  fair: "Under fair a job's priority is its weight.",
  fifo: 'Under fifo jobs of all queues go by priority.',
};
const NAMED = 3;

/** What a priority does now for jobs in queues of these names; and whether it does something. */
export function priorityMeans(policy, queues, names) {
  if (PRIORITY[policy]) return {text: PRIORITY[policy], counts: true};
  const idle = names.filter((name) => !priorityCounts(policy, queues.find((queue) => queue.name === name)));
  if (!idle.length)
    return {text: 'Jobs go by priority there, then by submit time.', counts: true};
  const more = idle.length - NAMED;
  const where = idle.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const go = idle.length === 1 ? 'that queue goes' : 'these queues go';
  return {
    text: `It does not count in ${where} now: under capacity ${go} by submit time.`,
    counts: false,
  };
}
