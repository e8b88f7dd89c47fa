/** The options of a route: the auth class that lets a request through, what the API's description says of it, and its schemas. */
export function route<const Auth extends string, Schema extends object>(auth: Auth, summary: string, schema: Schema) {
  return { config: { auth }, schema: { summary, ...schema } };
}

/**
 * Makes the options of routes that share a tag in the API's description and the most bytes of a body.
 *
 * @example
 * const route = routesTagged("login", 16 * 1024);
 * server.post("/step-up", route("session", "Password and code once more", { body, response: { 200: answer } }), handler);
 */
export function routesTagged(tag: string, bodyLimit?: number) {
  return <const Schema extends object>(auth: string, summary: string, schema: Schema) => ({
    ...route(auth, summary, { tags: [tag], ...schema }),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
  });
}
