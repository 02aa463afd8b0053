# syntax=docker/dockerfile:1

# The image contains Node 26, so npm's copy of it is left out below. Debian instead of Alpine: the service
# needs Temporal, which Node's official builds have and the builds for Alpine's C library may lack.
FROM node:26-trixie-slim AS base
WORKDIR /crescendo

# Builds the web app. Its build tools stay in this stage.
FROM base AS web
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY web/ web/
COPY src/words/ src/words/
RUN npm run build --workspace web

# Installs only what the service needs to run.
FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts && rm -rf web

FROM base
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY --from=dependencies /crescendo/ ./
COPY LICENSE ./
COPY bin/ bin/
COPY src/ src/
# The sources of the web app are not in the image, so the service serves this build and never rebuilds it.
COPY --from=web /crescendo/web/dist/ web/dist/
# Fills the compile cache, so that the first start is as fast as later ones.
RUN node bin/crescendo.js --version && ln -s /crescendo/bin/crescendo.js /usr/local/bin/crescendo \
    && install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# On SIGTERM the service finishes the requests and pushes in progress.
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=4", "bin/crescendo.js"]
