import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";

export type Orders = {
  readonly person: { readonly sub: string; readonly claims: Readonly<Record<string, unknown>>; readonly amr?: readonly string[] };
  readonly wrong?: Readonly<Record<string, unknown>>;
  readonly isForged?: boolean;
};

/** A provider in another process, and the secrets of its two clients. */
export type CompanyProvider = {
  readonly issuer: string;
  readonly clients: readonly { readonly id: string; readonly secret: string }[];
  /** Sets who logs in from now on, and what it answers wrongly. */
  readonly tell: (orders: Orders) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const CLIENTS = [
  { id: "sightline-one", secret: "secret-of-the-client-of-one-0123456789" },
  { id: "sightline-two", secret: "secret-of-the-client-of-two-0123456789" },
];

/** By the public address of the tests. */
const REDIRECT_URI = "http://localhost:3000/login/sso";

export async function startCompanyProvider(): Promise<CompanyProvider> {
  const options = JSON.stringify({ redirectUri: REDIRECT_URI, clients: CLIENTS, person: { sub: "nobody", claims: {} } });
  // The library warns of what is right for a provider of tests alone.
  const child = fork(new URL("company-provider-process.ts", import.meta.url), [options], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const { issuer } = z.object({ issuer: z.string() }).parse(await nextMessage(child));
  return {
    issuer,
    clients: CLIENTS,
    tell: async (orders) => {
      const done = nextMessage(child);
      child.send(orders);
      await done;
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill();
        await ended;
      }
    },
  };
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const heard = new AbortController();
  try {
    const [message]: unknown[] = await Promise.race([
      once(child, "message", { signal: heard.signal }),
      once(child, "exit", { signal: heard.signal }).then(() => {
        throw new Error("the provider of the tests ended");
      }),
    ]);
    return message;
  } finally {
    heard.abort();
  }
}
