FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.service.json vite.config.ts ./
COPY src src
COPY commands commands
COPY listeners listeners
COPY routes routes
RUN node src/edges/cli/setup.cjs service && npm prune --omit=dev --no-audit --no-fund

# Debian with Node alone: neither npm nor a compiler is needed to run.
FROM debian:trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --no-create-home node && install -d -o node -g node /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY docs/privacy.md docs/
COPY --from=build /app/src/edges/cli/*.cjs src/edges/cli/
RUN ln -s /app/src/edges/cli/rolelink.cjs /usr/local/bin/rolelink
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=2s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["rolelink", "start"]
