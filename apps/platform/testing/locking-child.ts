import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockHome, type HomeLock } from "#embedded/home-lock.ts";

/** Tries to lock the home that it is told, releasing it again when it is told to try several times. */
process.on("message", (task: { readonly home: string; readonly times?: number }) => {
  void tryTo(task).then((answer) => process.send?.(answer));
});
process.send?.("ready");

async function tryTo({ home, times = 1 }: { readonly home: string; readonly times?: number }): Promise<string> {
  let answer = "refused";
  for (let attempt = 0; attempt < times && answer !== "two had it"; attempt += 1) {
    const lock = await lockHome(home).catch(() => undefined);
    if (lock !== undefined) {
      answer = times === 1 ? "got it" : await haveForAMoment(home, lock);
    }
  }
  return answer;
}

/** A file that only one can make tells whether another has the lock as well. */
async function haveForAMoment(home: string, lock: HomeLock): Promise<string> {
  const mark = join(home, "mark");
  try {
    await (await open(mark, "wx")).close();
  } catch {
    return "two had it";
  }
  await rm(mark);
  await lock.release();
  return "got it";
}
