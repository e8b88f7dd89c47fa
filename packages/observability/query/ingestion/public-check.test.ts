import { expect, test } from "vitest";
import { publicly } from "./public-check.ts";

test("a Redis whose disk is full is not said to be away", async () => {
  const check = failingWith(new Error("MISCONF Errors writing to the AOF file: No space left on device"));
  await expect(check).rejects.toThrow("Redis can't write to its disk: make room there (MISCONF)");
});

test("of any other failure only the code is told", async () => {
  await expect(failingWith(new Error("NOAUTH Authentication required."))).rejects.toThrow(/^Redis does not answer \(NOAUTH\)$/);
  const refused = Object.assign(new Error("connect ECONNREFUSED 10.1.2.3:6379"), { code: "ECONNREFUSED" });
  await expect(failingWith(refused)).rejects.toThrow(/^Redis does not answer \(ECONNREFUSED\)$/);
});

function failingWith(error: Error): Promise<unknown> {
  const fail = async () => {
    throw error;
  };
  return Promise.resolve(publicly("Redis", { name: "redis", check: fail }).check());
}
