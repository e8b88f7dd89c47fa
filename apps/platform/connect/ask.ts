import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** What is typed goes nowhere. */
export async function askSecretly(question: string): Promise<string | undefined> {
  process.stderr.write(question);
  const answer = await ask("", new Writable({ write: (_chunk, _encoding, done) => done() }));
  process.stderr.write("\n");
  return answer;
}

export async function askWhether(question: string): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, process.stderr);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

/** Asks on the terminal; undefined when the question was broken off with Ctrl-C or Ctrl-D. */
async function ask(question: string, output: NodeJS.WritableStream): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const broken = new AbortController();
  const breakOff = (): void => broken.abort();
  lines.on("SIGINT", breakOff).on("close", breakOff);
  try {
    return await lines.question(question, { signal: broken.signal });
  } catch {
    output.write("\n");
    return undefined;
  } finally {
    lines.off("close", breakOff).close();
  }
}
