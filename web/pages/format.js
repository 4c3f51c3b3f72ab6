// Figures as text, the same as the command line writes them.

const INTEGER = new Intl.NumberFormat('en-US');
const digits = (n) =>
  new Intl.NumberFormat('en-US', {minimumFractionDigits: n, maximumFractionDigits: n});
const HUNDREDTHS = digits(2);
const TENTHS = digits(1);

export const DASH = '–';

export function whole(number) {
  return number === null || number === undefined ? DASH : INTEGER.format(number);
}

/** A share that may be a fraction of a slot. */
export function share(number) {
  if (number === null || number === undefined) return DASH;
  return (Number.isInteger(number) ? INTEGER : HUNDREDTHS).format(number);
}

export const tenths = (number) => TENTHS.format(Math.round(number * 10) / 10);

export function counted(number, one, many = one + 's') {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

/** So much of what is counted: 2 map slots; of a dimension of containers 3,072 MB, 1 vcore, 2 gpu. */
export function amountOf(amount, kind) {
  if (kind === 'map' || kind === 'reduce') return counted(amount, `${kind} slot`);
  if (kind === 'vcores') return counted(amount, 'vcore');
  return `${whole(amount)} ${unitOf(kind)}`;
}

/** What that is: map slots, memory, gpu. */
export function nameOf(kind) {
  if (kind === 'map' || kind === 'reduce') return `${kind} slots`;
  return kind === 'memory_mb' ? 'memory' : kind;
}

export function unitOf(kind) {
  if (kind === 'map' || kind === 'reduce') return 'slots';
  return kind === 'memory_mb' ? 'MB' : kind;
}

/** Of thousandths: 37.5%. */
export const thousandths = (part) => `${((part ?? 0) / 10).toFixed(1)}%`;

/** 480ms, 4.2s, 3m20s, 2h05m, 3d04h. */
export function duration(ms) {
  if (ms === null || ms === undefined) return DASH;
  if (ms < 0) return '0ms';
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, '0')}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${String(minutes % 60).padStart(2, '0')}m`;
  return `${Math.floor(hours / 24)}d${String(hours % 24).padStart(2, '0')}h`;
}

/** Whole seconds: for what counts down on the page. */
export function seconds(ms) {
  return ms < 60_000 ? `${Math.max(0, Math.ceil(ms / 1000))}s` : duration(ms);
}

export function millionths(number) {
  return `${Math.floor((number ?? 0) / 10_000)}%`;
}

/** Slot-time: 295349 slot-ms is 295 slot-seconds. */
export function slotTime(ms) {
  if (ms === null || ms === undefined) return DASH;
  const s = ms / 1000;
  if (Math.abs(s) < 3600) return `${INTEGER.format(Math.round(s))} slot-s`;
  return `${(s / 3600).toFixed(1)} slot-h`;
}

/** So much of each dimension for a time: 40,960 MB-s, 20 vcore-s. Where slots count, slot-time. */
export function timeOf(slotMs, byDimension) {
  if (!byDimension) return slotTime(slotMs);
  const units = {memory_mb: 'MB', vcores: 'vcore'};
  const time = ([dimension, ms]) => {
    const s = ms / 1000;
    const long = Math.abs(s) >= 1_000_000;
    const amount = INTEGER.format(Math.round(long ? s / 3600 : s));
    return `${amount} ${units[dimension] ?? dimension}-${long ? 'h' : 's'}`;
  };
  return Object.entries(byDimension).map(time).join(', ');
}

export function megabytes(mb) {
  if (mb === null || mb === undefined) return DASH;
  const gib = mb / 1024;
  if (gib < 1) return `${mb.toFixed(1)} MiB`;
  return gib < 1024 ? `${gib.toFixed(1)} GiB` : `${(gib / 1024).toFixed(1)} TiB`;
}

const TIME = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const DAY = new Intl.DateTimeFormat('en-CA', {year: 'numeric', month: '2-digit', day: '2-digit'});

/** The time of day, with the date if it is not today's. */
export function moment(ms) {
  if (!ms) return DASH;
  const date = new Date(ms);
  const day = DAY.format(date);
  return (day === DAY.format(new Date()) ? '' : day + ' ') + TIME.format(date);
}

export function fullMoment(ms) {
  return ms ? `${DAY.format(new Date(ms))} ${TIME.format(new Date(ms))}` : DASH;
}

export function clock(ms) {
  return TIME.format(new Date(ms));
}

const STATES = {
  RUNNING: 'ok',
  SUCCEEDED: 'done',
  LIVE: 'ok',
  PENDING: 'wait',
  WAITING: 'wait',
  HELD: 'wait',
  FAILED: 'bad',
  KILLED: 'bad',
  STOPPED: 'warn',
  DRAINING: 'warn',
  DRAINED: 'warn',
  STOPPING: 'warn',
  SILENT: 'warn',
  LOST: 'bad',
  FAULTY: 'bad',
  LOW_DISK: 'bad',
  UNHEALTHY: 'bad',
  AWAITED: 'warn',
  RETURNING: 'warn',
  KILLING: 'bad',
  COMMIT_PENDING: 'ok',
};

/** Which of the five tones a state has: ok, done, wait, warn, bad. */
export function tone(state) {
  return STATES[state] ?? 'wait';
}
