const LIBRARY = /[\\/]node_modules[\\/]/;
/** Shiki's grammars need each other, and are loaded by the language that is shown. */
const NOT_GRAMMARS = /^(?!.*shiki).*[\\/]node_modules[\\/]/;
const ICON = /[\\/]@tabler[\\/]/;
/** What the forms of the login are made of. */
const OF_LOGIN =
  /[\\/](?:features[\\/]auth|packages[\\/]identity|@mantine[\\/]core[\\/]esm[\\/]components[\\/](?:ActionIcon|Alert|Group|Input|InputBase|PasswordInput|Stack|TextInput|Title))[\\/]|[\\/](?:countdown|use-uncontrolled|useMutation|mutation)\./i;
const OWN = /[\\/](?:console[\\/]src|packages)[\\/](?!.*node_modules)/;

/**
 * Few files instead of the two hundred that Rolldown makes by itself: a browser asks for six at a time, so that a page of forty
 * small ones waits for seven rounds, and each costs the server and the browser more than its content. What a part of the pages
 * has in common is loaded with the first of them.
 */
export const chunkGroups = [
  { name: "libraries", test: LIBRARY, tags: ["$initial" as const], priority: 5 },
  { name: "app", tags: ["$initial" as const], priority: 4 },
  { name: "forms", test: OF_LOGIN, minShareCount: 2, priority: 3 },
  { name: "components", test: ICON, minShareCount: 2, priority: 2 },
  { name: "components", test: NOT_GRAMMARS, minShareCount: 3, priority: 2 },
  { name: "common", test: OWN, minShareCount: 3, priority: 1 },
];
