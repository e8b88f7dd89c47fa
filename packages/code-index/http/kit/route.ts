type RouteOptions<Auth extends string, Schema extends object> = {
  readonly config: { readonly auth: Auth };
  readonly schema: { readonly summary: string } & Schema;
};

/** The options of a route: which auth class lets a request through, what the API's reference says of it, and the schemas of request and answer. */
export function route<const Auth extends string, Schema extends object>(
  auth: Auth,
  summary: string,
  schema: Schema,
): RouteOptions<Auth, Schema> {
  return { config: { auth }, schema: { summary, ...schema } };
}
