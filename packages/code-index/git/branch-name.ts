/** In bytes; also git's own limit where a branch is a file. */
const MAX_BRANCH_BYTES = 200;

/** What git itself refuses in a name, and would read as something else: `:` and `*` have a meaning where it fetches. */
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const REFUSED = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|(^|\/)\.|\.(\/|$)|\.lock(\/|$)|^\/|\/$|^-|^@$|^HEAD$/;

/** Whether a branch can have this name, by git's rules (`git check-ref-format --branch`). */
export function isBranchName(name: string): boolean {
  return name !== "" && Buffer.byteLength(name) <= MAX_BRANCH_BYTES && name.isWellFormed() && !REFUSED.test(name);
}
