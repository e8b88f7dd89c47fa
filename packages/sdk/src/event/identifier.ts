import { randomFillSync } from "node:crypto";

const POOL_SIZE = 4096;

/**
 * A UUIDv7 (RFC 9562) that grows within this process even inside one millisecond, as the 12 bits after the version count. So there is
 * one source of them per process.
 */
export const createIdentifier: () => string = createIdentifierSource();

function createIdentifierSource(): () => string {
  const pool = Buffer.alloc(POOL_SIZE);
  let used = POOL_SIZE;
  let lastMillisecond = 0;
  let counter = 0;
  let prefix = "";

  const takeRandom = (): string => {
    if (used + 8 > POOL_SIZE) {
      randomFillSync(pool);
      used = 0;
    }
    used += 8;
    return pool.toString("hex", used - 8, used);
  };

  return () => {
    let now = Date.now();
    if (now > lastMillisecond) {
      counter = 0;
    } else {
      now = lastMillisecond;
      counter += 1;
      if (counter > 0xfff) {
        counter = 0;
        now += 1;
      }
    }
    if (now !== lastMillisecond) {
      lastMillisecond = now;
      const time = now.toString(16).padStart(12, "0");
      prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    }
    const random = takeRandom();
    const count = counter.toString(16).padStart(3, "0");
    const variant = ((Number.parseInt(random.slice(0, 1), 16) & 0x3) | 0x8).toString(16);
    return `${prefix}${count}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`;
  };
}
