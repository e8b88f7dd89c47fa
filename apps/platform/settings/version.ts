import packageJson from "#package.json" with { type: "json" };

/** The product's version. */
export const version: string = packageJson.version;
