const OWN_SCHEME = /^[a-z][a-z\d+.-]+:(\/\/|$)/;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Where a host is, as it matters to somebody who is asked to send something there. */
export function describePlace(host: string): string {
  if (OWN_SCHEME.test(host)) {
    return "whichever app opens such links on this computer";
  }
  return LOOPBACK.test(host) ? "a program on this computer" : "a site on the internet";
}
