/** Now, in ISO 8601 and UTC. Dates are written once a second and shared by the whole process, because each event asks several times. */
export const timestamp: () => string = createTimestampSource();

function createTimestampSource(): () => string {
  let lastMillisecond = -1;
  let lastText = "";
  let second = -1;
  let prefix = "";
  return () => {
    const now = Date.now();
    if (now !== lastMillisecond) {
      if (Math.floor(now / 1000) !== second) {
        second = Math.floor(now / 1000);
        prefix = new Date(now).toISOString().slice(0, -4);
      }
      lastMillisecond = now;
      lastText = `${prefix}${String(now - second * 1000).padStart(3, "0")}Z`;
    }
    return lastText;
  };
}
