import { expect, test } from "vitest";
import { chooseCloneUrl, withoutCredentials } from "./clone-url.ts";

const choose = (cloneUrl: string | undefined, allowFileUrls = false) => chooseCloneUrl({ fullName: "owner/repo", cloneUrl, allowFileUrls });

test("a repository without an address is GitHub's", () => {
  expect(choose(undefined)).toBe("https://github.com/owner/repo.git");
});

test.for(["https://gitlab.com/a/b.git", "ssh://git@host.org:2222/a/b", "git@github.com:a/b.git", "https://host:8443/a"])(
  "%s is accepted",
  (url) => {
    expect(choose(url)).toBe(url);
  },
);

test.for([
  "http://github.com/a/b",
  "git://github.com/a/b",
  "ext::sh -c touch% /tmp/x",
  "ext::sh",
  "fd::17",
  "--upload-pack=touch /tmp/x",
  "-oProxyCommand=x@host:path",
  "git@-oProxyCommand=x:path",
  "ssh://-oProxyCommand=x/path",
  "git@host:-path",
  "https://user:password@github.com/a/b",
  "https://token@github.com/a/b",
  "ssh://git:password@host/a",
  "https://github.com/",
  "https://github.com/a\nb",
  "/etc",
  "../x",
  "C:\\x",
  "file:///srv/repository",
  "https://github.com/a?token=x",
  "https://github.com#@evil.example/a",
  "ssh://ho%73t/a",
  "ssh://host",
  "",
  `https://host/${"a".repeat(2_000)}`,
])("%.60s is refused", (url) => {
  expect(() => choose(url)).toThrowError(expect.objectContaining({ code: "invalid_clone_url", status: 400 }));
});

test("a file:// address is accepted where the operator allows it, and only of this machine", () => {
  expect(choose("file:///srv/repository", true)).toBe("file:///srv/repository");
  expect(() => choose("file://server/share", true)).toThrowError("file:///absolute/path");
});

test("an address with credentials is refused, and it is said where they belong", () => {
  expect(() => choose("https://user:password@github.com/a/b")).toThrow(/Add them under Credentials\.$/);
});

test("credentials are taken out of any text with an address in it", () => {
  expect(withoutCredentials("fatal: unable to access 'https://user:s3cret@host/a': no")).toBe(
    "fatal: unable to access 'https://host/a': no",
  );
  expect(withoutCredentials("https://t0ken@host/a and ssh://git@host/b")).toBe("https://host/a and ssh://host/b");
});
