// The calls to /api/v1: bodies as JSON, answers kept with their ETag so that what has not changed
// does not travel again, failures as ApiError with the server's own words.

const BASE = '/api/v1';
const USER_KEY = 'weir.user';
const KEPT_AT_MOST = 60;

const kept = new Map(); // path -> {etag, value, headers}
const watchers = new Set();

export class ApiError extends Error {
  constructor(status, body) {
    super(body.message || `the server answered ${status}`);
    this.status = status;
    this.code = body.code ?? '';
    this.hint = body.hint ?? '';
    this.diagnostics = body.diagnostics ?? [];
  }
}

/** Calls `watcher(true | false)` when the server answers, or does not. */
export function onReachable(watcher) {
  watchers.add(watcher);
}

let seen = 0; // the version of the newest change that was made from here

/** The path, for an answer that has seen every change made from here. */
export function withMine(path) {
  return seen ? withQuery(path, {min_version: seen}) : path;
}

function reached(yes) {
  // Another JobTracker may count anew.
  if (!yes) seen = 0;
  for (const watcher of watchers) watcher(yes);
}

export function user() {
  return localStorage.getItem(USER_KEY) ?? '';
}

export function setUser(name) {
  localStorage.setItem(USER_KEY, name.trim());
  window.dispatchEvent(new Event('weir-user'));
}

export function withQuery(path, query = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') params.set(name, value);
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

async function call(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (failure) {
    if (failure.name !== 'AbortError') reached(false);
    throw failure;
  }
  reached(true);
  return response;
}

async function failed(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    /* Not JSON: the status says it. */
  }
  return new ApiError(response.status, body);
}

function keep(path, entry) {
  kept.delete(path);
  kept.set(path, entry);
  if (kept.size > KEPT_AT_MOST) kept.delete(kept.keys().next().value);
}

/** What is at the path: {value, headers, fresh}; fresh is false if nothing has changed. */
export async function read(path, {signal, text = false, headers = {}} = {}) {
  const known = kept.get(path);
  if (known?.etag) headers = {...headers, 'If-None-Match': known.etag};
  const response = await call(BASE + path, {signal, headers, cache: 'no-store'});
  if (response.status === 304 && known) return {...known, fresh: false};
  if (!response.ok) throw await failed(response);
  const value = text ? await response.text() : await response.json();
  const entry = {etag: response.headers.get('ETag'), value, headers: response.headers};
  if (entry.etag && !text) keep(path, entry);
  return {...entry, fresh: true};
}

export async function get(path, options) {
  return (await read(path, options)).value;
}

/** A changing call. The body is JSON unless it is text, which is YAML. */
export async function send(method, path, body, {headers = {}} = {}) {
  const isText = typeof body === 'string';
  const all = {
    'X-Weir-User': encodeUser(user()),
    'Content-Type': isText ? 'application/yaml' : 'application/json',
    ...headers,
  };
  const response = await call(BASE + path, {
    method,
    headers: all,
    body: body === undefined ? undefined : isText ? body : JSON.stringify(body),
  });
  if (!response.ok) throw await failed(response);
  const answer = response.status === 204 ? {} : await response.json();
  if (answer.version > seen && method !== 'POST') seen = answer.version;
  return answer;
}

// Headers are bytes; what is beyond Latin 1 travels as its UTF-8.
function encodeUser(name) {
  return String.fromCharCode(...new TextEncoder().encode(name));
}
