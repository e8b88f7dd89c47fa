import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export const GREETING = {
  name: "support/greeting",
  version: 7,
  template: "Hello {{ name }}! {{name}} is {{mood}}." as unknown,
  config: { model: "gpt-x", temperature: 0.2 },
};
export const FAULTS = ["refused", "hung", "half", "rubbish", "other", "401", "404", "429", "500", "huge"] as const;

/** A platform that answers for prompts, or fails to in many ways, on loopback; it counts its connections. */
export async function createPromptServer() {
  const open = new Set<Socket>();
  let answering = Promise.resolve();
  const state = {
    url: "",
    fault: "",
    answer: GREETING,
    connections: 0,
    /** Answers wait from now on. @returns what ends that. */
    hold: () => {
      let goOn = () => {};
      answering = new Promise((resolve) => {
        goOn = resolve;
      });
      return () => goOn();
    },
    breakDown: async (fault: string) => {
      state.fault = fault;
      if (fault === "refused") {
        await state.close();
      }
    },
    close: async () => {
      for (const socket of open) {
        socket.destroy();
      }
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  const server = createServer((socket) => {
    state.connections += 1;
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.once("data", () => {
      void answering.then(() => (state.fault === "hung" ? undefined : socket.end(bytesOf(state))));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

function bytesOf({ fault, answer }: { readonly fault: string; readonly answer: object }): Buffer {
  const status = /^\d+$/.test(fault) ? fault : "200";
  const bodies: Readonly<Record<string, string>> = {
    rubbish: "<html>\uFFFD".repeat(20),
    other: '{"name": "support/greeting", "version": "7", "template": [1], "config": []}',
    huge: `{"name": "${"x".repeat(20_000_000)}`,
  };
  const body = Buffer.from(bodies[fault] ?? JSON.stringify(status === "200" ? answer : { error: "some", message: "no" }));
  const head = `HTTP/1.1 ${status} Told\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), fault === "half" ? body.subarray(0, body.length / 2) : body]);
}
