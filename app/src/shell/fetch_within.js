// `fetch` that gives up after `late` ms, also while the body arrives: on a line that carries nothing any more, a browser waits for minutes. By a timer,
// since Safari before 16 has no `AbortSignal.timeout`.
function fetchWithin(late, address, options) {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), late);
  return fetch(address, { ...options, signal: stop.signal });
}
