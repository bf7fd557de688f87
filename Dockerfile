# One image for every process of Tentpole: `http`, `worker`, `migrate`, or all of them (`start`).
#
#   docker build --tag tentpole:0.1.0 .
#   docker run --read-only --tmpfs /tmp --tmpfs /var/lib/tentpole --env-file … tentpole:0.1.0 worker
#
# What runs is what npm packages carry, compiled once: nothing is left for a start to translate, and no condition has to be
# set for it. It needs no right to write but for DATA_DIR, which stays empty where S3_BUCKET, SMTP_URL and APP_SECRET are set.

FROM node:24.21.0-bookworm-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json packages/client/
COPY packages/core/package.json packages/core/
COPY packages/adapters/package.json packages/adapters/
COPY packages/worker/package.json packages/worker/
COPY packages/http/package.json packages/http/
COPY packages/http/console/package.json packages/http/console/

FROM manifests AS built
RUN npm install --ignore-scripts --no-save --no-audit --no-fund
COPY tsconfig.base.json ./
COPY packages packages
RUN node node_modules/typescript/bin/tsc -b packages/http \
 && node node_modules/vite/bin/vite.js build packages/http/console --mode packaged

# Exactly what the lock file names. What is optional is node itself and the PostgreSQL for trying: here are others. The lock
# names tools of development for some platforms only, which `npm ci` would complain of: it is not shown them.
FROM manifests AS dependencies
RUN npm pkg delete devDependencies optionalDependencies \
 && npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# The bill of materials (CycloneDX) of the packages in this image.
FROM manifests AS materials
COPY test/tools/sbom.ts test/tools/
RUN node test/tools/sbom.ts > sbom.cdx.json

FROM node:24.21.0-bookworm-slim
LABEL org.opencontainers.image.title="Tentpole" \
      org.opencontainers.image.description="Landing pages with AI, contacts, email blasts and flows" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    PAGES_PORT=8081 \
    DATA_DIR=/var/lib/tentpole \
    NODE_COMPILE_CACHE=/var/cache/tentpole \
    MALLOC_ARENA_MAX=2
WORKDIR /app
COPY LICENSE NOTICE ./
COPY --from=dependencies /app ./
COPY --from=built /app/packages/client/dist packages/client/dist
COPY --from=materials /app/sbom.cdx.json ./
COPY --from=built /app/packages/core/dist packages/core/dist
COPY --from=built /app/packages/adapters/dist packages/adapters/dist
COPY --from=built /app/packages/worker/dist packages/worker/dist
COPY --from=built /app/packages/http/dist packages/http/dist
COPY --from=built /app/packages/http/console/dist packages/http/console/dist
COPY packages/adapters/templates packages/adapters/templates
COPY packages/adapters/src/postgres/migrations packages/adapters/src/postgres/migrations
COPY packages/http/bin packages/http/bin
RUN install --directory --owner=node --group=node /var/lib/tentpole /var/cache/tentpole
USER node
# The image contains the compiled code of all modules, so that a start compiles nothing. Node looks it up by its version, its
# flags and its user: as compose.yaml and `start` set them for each process.
RUN ["node", "--input-type=module", "--eval", "for (const name of ['CommandLine', 'start/Start']) await import(`@tentpole/http/cli/${name}`)"]
RUN ["node", "--heap-growing-percent=50", "--input-type=module", "--eval", "for (const name of ['http/cli/CommandLine', 'http/Process']) await import(`@tentpole/${name}`)"]
RUN ["node", "--heap-growing-percent=50", "--max-semi-space-size=8", "--input-type=module", "--eval", "for (const name of ['http/cli/CommandLine', 'worker/Process']) await import(`@tentpole/${name}`)"]
EXPOSE 8080 8081 8083
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "packages/http/dist/src/healthy/main.js"]
# Node is the first process: it takes SIGTERM itself, and needs up to 30 seconds to settle what is under way.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "packages/http/bin/tentpole.js"]
CMD ["start"]
