# syntax=docker/dockerfile:1

# The image brings Node 26 itself, so npm's copy of it is left out below. Debian and not Alpine: the
# runtime needs Temporal, which Node's official builds have and those for Alpine's C library may lack.
FROM node:26-trixie-slim AS base
WORKDIR /crescendo

# The web app, built once; its tools stay behind in this stage.
FROM base AS web
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY web/ web/
RUN npm run build --workspace web

# What the service needs to run, and nothing else.
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
# Without the sources beside it, what was built is served as it is.
COPY --from=web /crescendo/web/dist/ web/dist/
# Fills the compile cache, so that the first start is as quick as every other.
RUN node bin/crescendo.js --version && ln -s /crescendo/bin/crescendo.js /usr/local/bin/crescendo \
    && install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The service itself obeys SIGTERM and lets requests and pushes under way finish.
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=4", "bin/crescendo.js"]
