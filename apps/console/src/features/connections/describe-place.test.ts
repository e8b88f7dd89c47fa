import { expect, test } from "vitest";
import { describePlace } from "./describe-place.ts";

test.for(["localhost:3118", "127.0.0.1", "127.0.0.1:41999", "[::1]:8080"])("%s is this computer", (host) => {
  expect(describePlace(host)).toBe("a program on this computer");
});

test.for(["assistant.example", "localhost.evil.example", "127.0.0.1.evil.example:80"])("%s is elsewhere", (host) => {
  expect(describePlace(host)).toBe("a site on the internet");
});

test.for(["cursor://anysphere.cursor-retrieval", "com.example.assistant:"])("%s is an app of this computer", (host) => {
  expect(describePlace(host)).toBe("whichever app opens such links on this computer");
});
