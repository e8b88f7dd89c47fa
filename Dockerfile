# All roles in one image; the role is the argument: `docker run sightline start identity`. Without one, all of them.
FROM node:24-bookworm-slim AS build
WORKDIR /app
RUN npm install --global npm@11.19.1
COPY . .
# The console is built here, so that the final image needs no build tools.
# The Node that npm installs for those who have another is here already.
RUN npm ci && node apps/platform/console-server/build-console.ts && rm -rf node_modules && npm ci --omit=dev \
  && rm -rf node_modules/node-linux-* node_modules/.store/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /data /compiled && chown node:node /data /compiled
WORKDIR /app
COPY --from=build --chown=root:root /app /app
ENV NODE_ENV=production \
  LOG_FORMAT=json \
  SIGHTLINE_HOME=/data \
  SIGHTLINE_HOST=0.0.0.0 \
  SIGHTLINE_INSTALL=false \
  NODE_COMPILE_CACHE=/compiled
USER node
# A cold start compiles nothing, which halves it. Node keeps such a cache for each user, so it is made as the one that runs.
RUN node apps/platform/compose/compile-roles.ts
VOLUME /data
EXPOSE 3000 8000 8070 8080
ENTRYPOINT ["node", "apps/platform/sightline.ts"]
CMD ["start"]
