import { createPasswordHasher } from "#accounts/password-hash.ts";

/**
 * Measures what the password hash alone costs, the peer of a login in benchmarks. Arguments: how many verifications, how many at once.
 * Prints the milliseconds that each took, and all of them together, as JSON.
 */
const [count = "1", atOnce = "1"] = process.argv.slice(2);
const password = "seven green lanterns";
const hasher = createPasswordHasher();
const hash = await hasher.hash(password);

const took: number[] = [];
let left = Number(count);
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    while (left-- > 0) {
      const began = performance.now();
      await hasher.verify(hash, password);
      took.push(performance.now() - began);
    }
  }),
);
process.stdout.write(JSON.stringify({ took, totalMs: performance.now() - startedAt }));
