/** What is known of a content by its hash: it was inside an event once, it is on its way to the stream as a blob, it is there. */
type Known = { state: "seen" | "sending" | "sent"; sentAt: number };

/** Of each of two generations: as many are remembered for certain, and twice as many at the most. */
const GENERATION = 5000;
/** A content is sent again after this time, so that a stream that was emptied or trimmed hides no content for long, and retention may count from here. */
const TRUSTED_FOR = 10 * 60_000;

/** The contents this producer has sent, in bounded memory. */
export function createSentContents() {
  // Nothing is deleted from the front of a map: finding its first key again takes as long as much was deleted there.
  let recent = new Map<string, Known>();
  let older = new Map<string, Known>();

  const find = (hash: string) => recent.get(hash) ?? older.get(hash);
  const remember = (hash: string, entry: Known) => {
    recent.set(hash, entry);
    if (recent.size >= GENERATION) {
      older = recent;
      recent = new Map();
    }
  };

  return {
    /**
     * What to do with a content: the first time it goes as it is, the second time as a blob that is referred to, then as a reference.
     * So what never comes again costs no blob.
     */
    meet(hash: string, now: number): "inline" | "blob" | "reference" {
      const entry = find(hash);
      if (entry === undefined) {
        remember(hash, { state: "seen", sentAt: 0 });
        return "inline";
      }
      const isDue = entry.state === "seen" || (entry.state === "sent" && now - entry.sentAt > TRUSTED_FOR);
      remember(hash, isDue ? { state: "sending", sentAt: 0 } : entry);
      return isDue ? "blob" : "reference";
    },
    confirm(hash: string, now: number) {
      const entry = find(hash);
      if (entry !== undefined) {
        entry.state = "sent";
        entry.sentAt = now;
      }
    },
    /** Its blob will never arrive. */
    forget(hash: string) {
      recent.delete(hash);
      older.delete(hash);
    },
    /** Nothing sent is certain to be there any more: another connection may lead to an emptied Redis. */
    distrust() {
      for (const entry of [...recent.values(), ...older.values()]) {
        entry.state = entry.state === "sent" ? "seen" : entry.state;
      }
    },
  };
}
