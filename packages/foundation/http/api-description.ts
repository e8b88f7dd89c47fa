import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import { createJsonSchemaTransform } from "fastify-type-provider-zod";

/** Auth classes that require no credential in a header. */
const WITHOUT_CREDENTIAL = new Set(["public", "same-origin"]);

const ERROR = {
  description: "Refused: a stable code, and a sentence that says what to do.",
  type: "object",
  required: ["error", "message"],
  properties: {
    error: { type: "string" },
    message: { type: "string" },
    details: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

const describe = createJsonSchemaTransform({ skipList: ["/metrics"] });

/** Describes the routes for `/docs`: their schemas, which of them require a token, and the body of refusals. */
export function apiDescription(title: string, version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: { title, version },
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "An access token, or a token or key of the API's own. Keys may also come as X-API-Key.",
          },
        },
      },
    },
    transform: (route) => {
      const { schema, url } = describe(route);
      const auth = route.route.config?.auth;
      // The library's type hides that a route without a schema comes out without one.
      const described: Partial<typeof schema> = schema ?? {};
      if (described.hide === true || auth === undefined) {
        return { schema, url };
      }
      return {
        url,
        schema: {
          ...described,
          ...(WITHOUT_CREDENTIAL.has(auth) ? {} : { security: [{ bearer: [] }] }),
          // Whoever answers in another form says so itself.
          response: { "4xx": ERROR, ...(typeof described.response === "object" ? described.response : {}) },
        },
      };
    },
  };
}
