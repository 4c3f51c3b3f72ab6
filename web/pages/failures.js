// What failed in the last hour: jobs, and attempts of jobs that go on; each a link to where it says why.
import {h, fill, oneLine, visible} from './dom.js';
import {clock, counted, whole} from './format.js';
import {href} from './router.js';

const HOUR_MS = 3_600_000;
const SHOWN = 6;
const READ_AT_MOST = 1000;

function line(at, link, text, what) {
  return h(
    'li',
    {class: 'kill'},
    h('span', {class: 'num muted', tip: what}, clock(at)),
    h('span', {}, link, text),
  );
}

function jobLine(job) {
  const why = oneLine(job.diagnostics);
  return line(
    job.finished_at_ms,
    h('a', {href: href.job(job.number, 'failures')}, `${job.job} ${visible(job.name)}`),
    ` of ${visible(job.user)} has failed${why ? ': ' + visible(why) : ''}`,
    "When the job ended, by this browser's clock.",
  );
}

/** The failed attempts of one job, newest first. */
function attemptsLine(attempts) {
  const [{t, job, job_number: number, task, tracker, reason}] = attempts;
  const one = attempts.length === 1;
  return line(
    t,
    h('a', {href: href.job(number, 'failures')}, job),
    `: ${one ? `an attempt of ${task}` : `${whole(attempts.length)} attempts`} failed, ` +
      `${one ? '' : 'the last '}on ${visible(tracker ?? '?')}${reason ? ': ' + visible(reason) : ''}`,
    "When the last of them failed, by this browser's clock.",
  );
}

/** Follows both; `counted(jobs, attempts)`, texts, is told as they change. */
export function followFailures(page, list, told) {
  const known = {jobs: [], attempts: [], complete: 0};
  const show = () => {
    const since = Date.now() - HOUR_MS;
    const jobs = known.jobs.filter((job) => job.finished_at_ms >= since);
    const attempts = known.attempts.filter((one) => one.t >= since);
    const failed = new Set(jobs.map((job) => job.number));
    const others = Map.groupBy(attempts.filter((one) => !failed.has(one.job_number)), (one) => one.job_number);
    const lines = [
      ...jobs.map((job) => [job.finished_at_ms, () => jobLine(job)]),
      ...[...others.values()].map((all) => [all[0].t, () => attemptsLine(all)]),
    ].sort(([a], [b]) => b - a);
    told(
      counted(jobs.length, 'job'),
      counted(attempts.length, 'attempt') +
        (attempts.length >= READ_AT_MOST ? ' or more' : '') +
        (known.complete > since ? ` since ${clock(known.complete)}` : ''),
      lines.length,
    );
    fill(
      list,
      lines.length
        ? lines.slice(0, SHOWN).map(([, draw]) => draw())
        : h('li', {class: 'none'}, 'Nothing has failed in the last hour.'),
    );
  };
  const follow = (path, key) =>
    page.use(path, {topic: 'jobs', every: 10_000, least: 5000}, (value, error, resource) => {
      if (value) known[key] = value;
      // Failed attempts of before a start of the JobTracker are not known.
      known.complete = Number(resource?.headers?.get('X-Weir-Complete-Since') ?? known.complete);
      show();
    });
  const since = Date.now() - HOUR_MS;
  follow('/jobs?state=FAILED&limit=200', 'jobs');
  follow(`/decisions?kind=fail&since=${since}&limit=${READ_AT_MOST}`, 'attempts');
}
