export default { test: { root: import.meta.dirname, include: ["item-tests.ts"] } };
