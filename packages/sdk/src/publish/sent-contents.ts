/** What is known of a content that came again, by its hash: its blob is on its way to the stream, is there, or has to be sent again. */
type Known = { state: "sending" | "sent" | "due"; sentAt: number };

/** Of each of two generations: as many are remembered for certain, and twice as many at the most. */
const GENERATION = 5000;
/** A content is sent again after this time, so that a stream that was emptied or trimmed hides no content for long. */
const TRUSTED_FOR = 10 * 60_000;
/** How long it is certain that the platform has kept what was sent, once it said so; the platform counts on no more than 10 s. */
const VERSION_READ_EVERY = 5_000;

/** The contents this producer has met and sent, in bounded memory. */
export function createSentContents() {
  const met = createGenerations<number, true>();
  const sent = createGenerations<string, Known>();
  let version: string | null | undefined;
  let versionReadAt = -Infinity;

  const distrust = () => {
    for (const entry of sent.values()) {
      entry.state = entry.state === "sent" ? "due" : entry.state;
    }
  };

  return {
    /**
     * Whether a content has come before, by a number made of it. What never comes again costs neither a hash nor a blob; two contents
     * that share a number cost a blob too many.
     */
    meet(fingerprint: number): boolean {
      const isKnown = met.find(fingerprint) !== undefined;
      if (!isKnown) {
        met.remember(fingerprint, true);
      }
      return isKnown;
    },
    /** What to do with a content that came again: the first time it goes as a blob that is referred to, then as a reference. */
    treat(hash: string, now: number): "blob" | "reference" {
      const entry = sent.find(hash);
      const isKnown = entry !== undefined && entry.state !== "due" && !(entry.state === "sent" && now - entry.sentAt > TRUSTED_FOR);
      sent.remember(hash, isKnown ? entry : { state: "sending", sentAt: 0 });
      return isKnown ? "reference" : "blob";
    },
    confirm(hash: string, now: number) {
      const entry = sent.find(hash);
      if (entry !== undefined) {
        entry.state = "sent";
        entry.sentAt = now;
      }
    },
    /** Its blob will never arrive. */
    forget(hash: string) {
      sent.forget(hash);
    },
    isVersionDue: (now: number) => now - versionReadAt > VERSION_READ_EVERY,
    /** Takes note of the version of the project's contents, as it was then or later; undefined where the platform's word can't be read. */
    learn(read: string | null | undefined, now: number) {
      if (read !== version) {
        distrust();
      }
      version = read;
      versionReadAt = read === undefined ? -Infinity : now;
    },
    /** Nothing sent is certain to be there any more: another connection may lead to an emptied Redis, or nobody could say that it is. */
    distrust,
  };
}

/** Nothing is deleted from the front of a map: finding its first key again takes as long as much was deleted there. */
function createGenerations<Key, Value>() {
  let recent = new Map<Key, Value>();
  let older = new Map<Key, Value>();
  return {
    find: (key: Key) => recent.get(key) ?? older.get(key),
    remember(key: Key, value: Value) {
      recent.set(key, value);
      if (recent.size >= GENERATION) {
        older = recent;
        recent = new Map();
      }
    },
    forget(key: Key) {
      recent.delete(key);
      older.delete(key);
    },
    values: () => [...recent.values(), ...older.values()],
  };
}
