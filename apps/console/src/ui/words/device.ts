/** The order matters: a browser's user agent names those below it too. */
const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: readonly (readonly [name: string, sign: RegExp])[] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac(?:intosh| OS X)\b/],
  ["Linux", /\bLinux\b/],
];

export type Device = { readonly name: string; readonly kind: "computer" | "phone" | "program" };

/** A device in words, from what its browser says of itself; good enough to tell one's own from a stranger's. */
export function readDevice(userAgent: string | null): Device {
  if (userAgent === null || userAgent.trim() === "") {
    return { name: "Unknown device", kind: "program" };
  }
  const browser = BROWSERS.find(([, sign]) => sign.test(userAgent))?.[0];
  const system = SYSTEMS.find(([, sign]) => sign.test(userAgent))?.[0];
  if (browser === undefined) {
    // `curl/8.5.0`, `python-requests/2.32`: the program's own name.
    const program = /^[\w.-]{1,40}/.exec(userAgent)?.[0];
    return { name: program ?? "Unknown device", kind: "program" };
  }
  const kind = system === "iPhone" || system === "iPad" || system === "Android" ? "phone" : "computer";
  return { name: system === undefined ? browser : `${browser} on ${system}`, kind };
}
