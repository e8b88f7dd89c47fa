import { expect, test } from "vitest";
import { provideRedisServer } from "./redis-binary.ts";

/** A machine without redis-server, whose root can install one. */
function bareMachine(answer: boolean | undefined, mayInstall = true) {
  const events: string[] = [];
  let path: string | undefined;
  const provided = provideRedisServer({
    mayInstall,
    say: (line) => events.push(`said: ${line}`),
    ask:
      answer === undefined
        ? undefined
        : async (question) => {
            events.push(`asked: ${question}`);
            return answer;
          },
    find: async () => path,
    install: async () => {
      events.push("installed");
      path = "/usr/bin/redis-server";
      return true;
    },
  });
  return { provided, events };
}

const ASKED = expect.stringMatching(/^asked: .*Install it with apt-get install -y redis-server\?$/);
const TOLD = expect.stringMatching(/^said: .*installing it .*SIGHTLINE_INSTALL=false prevents/);

test("at a terminal root is asked before a package is installed, and told what to do after a no", async () => {
  const yes = bareMachine(true);
  expect(await yes.provided).toBe("/usr/bin/redis-server");
  expect(yes.events).toEqual([ASKED, TOLD, "installed"]);
  const no = bareMachine(false);
  await expect(no.provided).rejects.toThrow("`apt-get install redis-server`");
  expect(no.events).toEqual([ASKED]);
});

test("without a terminal it is installed, and said so in one line", async () => {
  const { provided, events } = bareMachine(undefined);
  expect(await provided).toBe("/usr/bin/redis-server");
  expect(events).toEqual([TOLD, "installed"]);
});

test("SIGHTLINE_INSTALL=false installs nothing and asks nobody", async () => {
  const { provided, events } = bareMachine(true, false);
  await expect(provided).rejects.toThrow(/SIGHTLINE_INSTALL=false lets none be installed.*`apt-get install redis-server`/);
  expect(events).toEqual([]);
});
