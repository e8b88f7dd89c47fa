let lastMillisecond = -1;
let lastText = "";

/** Now, in ISO 8601 and UTC. Made once a millisecond, as an event asks several times. */
export function timestamp(): string {
  const now = Date.now();
  if (now !== lastMillisecond) {
    lastMillisecond = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}
