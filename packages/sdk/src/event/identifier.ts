import { randomFillSync } from "node:crypto";

const POOL_SIZE = 4096;
/** Hexadecimal digits of chance in an identifier, of which the first chooses the variant. */
const DIGITS = 16;
const VARIANTS = ["8", "9", "a", "b"];

/**
 * A UUIDv7 (RFC 9562) that grows within this process even inside one millisecond, as the 12 bits after the version count. So there is
 * one source of them per process.
 */
export const createIdentifier: () => string = createIdentifierSource();

function createIdentifierSource(): () => string {
  const pool = Buffer.alloc(POOL_SIZE);
  /** The pool in hexadecimal, so that an identifier costs no call of Node's. */
  let digits = "";
  let used = 0;
  let lastMillisecond = 0;
  let counter = 0;
  let prefix = "";

  const takeRandom = (): number => {
    if (used + DIGITS > digits.length) {
      digits = randomFillSync(pool).toString("hex");
      used = 0;
    }
    used += DIGITS;
    return used - DIGITS;
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
    const at = takeRandom();
    const count = counter.toString(16).padStart(3, "0");
    const variant = VARIANTS[Number.parseInt(digits.charAt(at), 16) & 0x3] ?? "8";
    return `${prefix}${count}-${variant}${digits.slice(at + 1, at + 4)}-${digits.slice(at + 4, at + DIGITS)}`;
  };
}
