/** Now, in ISO 8601 and UTC. Events of the whole process share the text, made once a millisecond, because each asks several times. */
export const timestamp: () => string = createTimestampSource();

function createTimestampSource(): () => string {
  let lastMillisecond = -1;
  let lastText = "";
  return () => {
    const now = Date.now();
    if (now !== lastMillisecond) {
      lastMillisecond = now;
      lastText = new Date(now).toISOString();
    }
    return lastText;
  };
}
