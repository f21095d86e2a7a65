# What each line does is proved in a clean folder by `test/e2e/image.test.ts`.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The one install script among the dependencies would bring a second Node 24.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
# From outside a container nothing reaches its loopback. /healthz and /readyz are on port 8080.
ENV COUNCIL_HEALTH_HOST=0.0.0.0
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY config ./config
COPY commands ./commands
COPY recordings ./recordings
COPY src ./src
RUN mkdir data && chown node:node data
# The user `node`, by its number: Kubernetes can't tell from a name that it is not root (`runAsNonRoot`).
USER 1000
VOLUME /app/data
# Asks /healthz of the bot in this container.
HEALTHCHECK --interval=60s --timeout=20s --start-period=60s \
  CMD ["node", "src/index.ts", "health"]
CMD ["node", "src/index.ts"]
