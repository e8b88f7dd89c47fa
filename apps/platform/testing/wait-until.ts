import { setTimeout as delay } from "node:timers/promises";

/** Waits for a condition. @throws {Error} naming it, when it does not come true in time. */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    }
    await delay(20);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
