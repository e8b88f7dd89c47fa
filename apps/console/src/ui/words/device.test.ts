import { describe, expect, it } from "vitest";
import { readDevice } from "./device.ts";

describe("a device in words", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36", "Chrome on Linux"],
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36", "Chrome on Linux"],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge on Windows"],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
      "Safari on macOS",
    ],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox on macOS"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    ["Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"],
    [
      "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 SamsungBrowser/27.0 Chrome/125.0 Safari/537.36",
      "Samsung Internet on Android",
    ],
    ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 OPR/120.0", "Opera on Windows"],
    ["curl/8.14.1", "curl"],
    ["python-requests/2.32.3", "python-requests"],
    ["<script>", "Unknown device"],
    ["", "Unknown device"],
    [null, "Unknown device"],
  ])("of %j", (userAgent, words) => {
    expect(readDevice(userAgent).name).toBe(words);
  });

  it("knows a phone from a computer and from a program", () => {
    expect([
      readDevice("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1").kind,
      readDevice("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0").kind,
      readDevice("curl/8.14.1").kind,
    ]).toEqual(["phone", "computer", "program"]);
  });
});
