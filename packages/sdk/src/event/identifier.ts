import { randomUUID } from "node:crypto";

/** Where in a UUID its variant stands. */
const VARIANT_AT = 19;

/**
 * A UUIDv7 (RFC 9562) that grows within this process even inside one millisecond, as the 12 bits after the version count. So there is
 * one source of them per process.
 */
export const createIdentifier: () => string = createIdentifierSource();

function createIdentifierSource(): () => string {
  let lastMillisecond = 0;
  let counter = 0;
  let prefix = "";

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
    const count = counter === 0 ? "000" : counter.toString(16).padStart(3, "0");
    return `${prefix}${count}-${randomUUID().slice(VARIANT_AT)}`;
  };
}
