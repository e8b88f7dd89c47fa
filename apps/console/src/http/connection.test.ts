import { describe, expect, it } from "vitest";
import { createConnection } from "./connection.ts";

function start() {
  const connection = createConnection();
  let answer: () => Promise<Response> = async () => new Response("{}");
  const call = connection.watch(() => answer());
  let told = 0;
  connection.subscribe(() => {
    told += 1;
  });
  return {
    connection,
    told: () => told,
    get: (url: string, status: number) => {
      answer = async () => new Response("{}", { status });
      return call(url, {});
    },
    lose: (init: RequestInit = {}) => {
      answer = () => Promise.reject(new TypeError("Failed to fetch"));
      return call("/api/identity/login/me", init).catch(() => undefined);
    },
  };
}

describe("the connection", () => {
  it("names the part that its proxy can't reach, until it answers again, whatever it answers", async () => {
    const { connection, get, told } = start();
    await get("/api/code-index/api/v1/repos", 502);
    await get("/api/observability/api/v1/projects", 502);
    await get("/api/code-index/api/v1/repos", 502);
    expect(connection.away()).toEqual(["code-index", "observability"]);
    await get("/api/code-index/api/v1/repos", 404);
    expect(connection.away()).toEqual(["observability"]);
    expect(told()).toBe(3);
  });

  it("is lost as a whole when nothing answers, and back with the first answer", async () => {
    const { connection, lose, get } = start();
    await lose();
    expect(connection.away()).toEqual(["console"]);
    await get("/api/identity/login/me", 502);
    expect(connection.away()).toEqual(["identity"]);
  });

  it("says nothing of a call that was broken off", async () => {
    const { connection, lose } = start();
    await lose({ signal: AbortSignal.abort() });
    expect(connection.away()).toEqual([]);
  });
});
