FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.service.json vite.config.ts ./
COPY src src
COPY commands commands
COPY listeners listeners
COPY routes routes
# The commit, for `rolelink version`: the builder sees no repository.
ARG COMMIT=unknown
# Of the packages, types, source maps, manuals and a large test are left out: 50 MB.
RUN COMMIT=$COMMIT node src/edges/cli/setup.cjs service && npm prune --omit=dev --no-audit --no-fund && \
  find node_modules -type f ! -iname 'licen[cs]e*' \
  \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \) -delete && \
  rm -rf node_modules/bintrees/test

# Debian as it is, so that scanners and repairs know all of it. Node alone is added: a start needs neither npm nor a compiler.
FROM debian:trixie-slim
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --no-create-home node && install -d -o node -g node /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build /app/package.json ./
COPY LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY docs/privacy.md docs/
COPY src/locales/*-privacy.md src/locales/
COPY docs/games/rolelink.luau docs/games/
COPY --from=build /app/src/edges/cli/*.cjs src/edges/cli/
RUN ln -s /app/src/edges/cli/rolelink.cjs /usr/local/bin/rolelink
USER node
VOLUME /data
EXPOSE 3000
# Without --start-interval, which Docker knows since 25 only.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["rolelink", "start"]
